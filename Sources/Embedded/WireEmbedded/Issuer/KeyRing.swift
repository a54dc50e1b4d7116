import WireBackends
import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireJOSE
import WireSecrets
import WireStore

/// The signing keys: the present one, and the one before, which verifies tokens that are still valid.
struct KeyRing: Sendable {
    static let table = IssuerRecords.Table.keys
    static let kind = "ring"
    /// The time for which a key signs, in milliseconds.
    static let age: Int64 = 30 * 86_400_000

    struct Member: Sendable {
        let id: String
        let key: PrivateKey
        /// The time of creation, in milliseconds since 1970.
        let made: Int64
    }

    /// The newest first.
    private(set) var members: [Member]

    private init(members: [Member]) { self.members = members }

    /// Creates two keys, so that clients meet several keys from the start.
    init(by machine: SystemServices) throws(Fault) {
        members = [try Self.make(machine), try Self.make(machine)]
    }

    var present: Member? { members.first }

    func isDue(at now: Int64) -> Bool {
        guard let present else { return true }
        return now - present.made >= Self.age
    }

    /// The ring with a new signing key; tokens of the last key but one become invalid.
    func rotated(by machine: SystemServices) throws(Fault) -> KeyRing {
        var ring = self
        ring.members = [try Self.make(machine)] + members.prefix(1)
        return ring
    }

    private static func make(_ machine: SystemServices) throws(Fault) -> Member {
        let key = try machine.signatures.makeKey(for: .rs256)
        return Member(id: try key.publicKey.thumbprint(with: machine.signatures), key: key, made: machine.now)
    }

    /// The public keys.
    var published: JSONWebKeySet {
        JSONWebKeySet(members.map { JSONWebKey($0.key.publicKey, id: $0.id, algorithm: $0.key.algorithm) })
    }
}

// MARK: Storage

extension KeyRing: IssuerRecord {
    static let stored = JSONForm<ExpiringRecord<Self>>("StoredKeyRing", "The signing keys.")

    static var schema: JSONSchema { [Member].schema }
    static var placeholder: KeyRing { KeyRing(members: []) }
    var jsonValue: JSONValue? { members.jsonValue }

    static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> KeyRing {
        let members = try [Member].read(node, in: text)
        guard !members.isEmpty else { throw JSONMismatch("found no keys", nil) }
        return KeyRing(members: members)
    }

    func write(to writer: inout JSONWriter) { members.write(to: &writer) }
}

extension KeyRing.Member: JSONRecord {
    static let form = JSONForm<Self>("StoredSigningKey", "A signing key.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id of the key.")
        made = try members.required("made", \.made, "The time of creation.")
        let modulus = try members.required("n", { Base64URLBytes($0.rsa.modulus) }, "The modulus.")
        let exponent = try members.required("e", { Base64URLBytes($0.rsa.exponent) }, "The exponent.")
        let encoded = try members.required("key", { Base64URLBytes($0.key.encoded.reveal()) }, "The private key.")
        key = PrivateKey(
            algorithm: .rs256,
            publicKey: .rsa(modulus: modulus.content, exponent: exponent.content),
            encoded: Secret(encoded.content)
        )
    }

    private var rsa: (modulus: [UInt8], exponent: [UInt8]) {
        guard case .rsa(let modulus, let exponent) = key.publicKey else { return ([], []) }
        return (modulus, exponent)
    }
}

/// Binary data, encoded as base64url (RFC 4648, section 5).
private struct Base64URLBytes: PlainText {
    let content: [UInt8]

    init(_ content: [UInt8]) { self.content = content }

    static var schema: JSONSchema { .text }
    static var placeholder: Base64URLBytes { Base64URLBytes([]) }
    static var valueName: String? { "text" }
    var plain: String { Base64URL.text(of: content) }

    static func read(plain text: String) throws(JSONMismatch) -> Base64URLBytes {
        guard let content = Base64URL.bytes(of: text) else { throw JSONMismatch("expected base64url", nil) }
        return Base64URLBytes(content)
    }
}

/// Creates the key ring at its first use, which takes a moment, and rotates it when due.
final class CurrentKeyRing: Sendable {
    private struct State {
        var ring: KeyRing?
        var making: Task<KeyRing, any Error>?
    }

    private let machine: SystemServices
    private let state = Mutex(State())
    /// Ten years; keys end by rotation.
    private static let kept: Int64 = 3_650 * 86_400_000

    init(_ machine: SystemServices) {
        self.machine = machine
    }

    /// Returns the ring; nil where nothing has been signed yet.
    func known(_ records: IssuerRecords) async throws -> KeyRing? {
        if let ring = state.withLock({ $0.ring }) { return ring }
        guard let kept = try await records.find("", KeyRing.self) else { return nil }
        return state.withLock { state in
            let ring = state.ring ?? kept.record
            state.ring = ring
            return ring
        }
    }

    /// Returns the ring, creating it durably if necessary, once for all simultaneous callers.
    func ring(_ records: IssuerRecords) async throws -> KeyRing {
        if let ring = try await known(records) { return ring }
        let making = state.withLock { state in
            // A task of its own, since other callers wait for it as well.
            let making = state.making ?? Task { try await self.make(records) }
            state.making = making
            return making
        }
        return try await making.value
    }

    private func make(_ records: IssuerRecords) async throws -> KeyRing {
        defer { state.withLock { $0.making = nil } }
        // Another caller may have just created it.
        if let ring = try await known(records) { return ring }
        let new = try KeyRing(by: machine)
        // If another program creates one at the same time, the first one counts for both.
        if try await !records.put(new, "", until: machine.now + Self.kept, if: .absent) {
            if let other = try await known(records) { return other }
            // The stored ring cannot be read, so none of its signatures can be verified.
            try await records.put(new, "", until: machine.now + Self.kept)
        }
        state.withLock { $0.ring = new }
        return new
    }

    /// Adds a new signing key and returns its id.
    func rotate(_ records: IssuerRecords) async throws -> String? {
        let next = try await ring(records).rotated(by: machine)
        try await records.put(next, "", until: machine.now + Self.kept)
        state.withLock { $0.ring = next }
        return next.present?.id
    }
}
