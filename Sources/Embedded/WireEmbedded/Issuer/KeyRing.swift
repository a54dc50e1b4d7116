import WireBackends
import Synchronization
import WireBase
import WireConfig
import WireJOSE
import WireSecrets
import WireStore

/// The keys tokens are signed with: the present one, and the one before it, which tokens of the time still need.
struct KeyRing: IssuerRecord {
    static let shelf = IssuerRecords.Shelf.keys
    static let kind = "ring"
    /// How long a key signs, in milliseconds.
    static let age: Int64 = 30 * 86_400_000

    struct Member: Sendable {
        let id: String
        let key: PrivateKey
        /// Milliseconds since 1970.
        let made: Int64
    }

    /// The newest first.
    private(set) var members: [Member]

    /// Two new keys, so that clients learn from the first day on that there are several.
    init(by machine: Machine) throws(Fault) {
        members = [try Self.make(machine), try Self.make(machine)]
    }

    var present: Member? { members.first }

    func isDue(at now: Int64) -> Bool {
        guard let present else { return true }
        return now - present.made >= Self.age
    }

    /// The same with a new key to sign with; what the last but one has signed is believed no more.
    func rotated(by machine: Machine) throws(Fault) -> KeyRing {
        var ring = self
        ring.members = [try Self.make(machine)] + members.prefix(1)
        return ring
    }

    private static func make(_ machine: Machine) throws(Fault) -> Member {
        let key = try machine.signatures.makeKey(for: .rs256)
        return Member(id: try key.publicKey.thumbprint(with: machine.signatures), key: key, made: machine.now)
    }

    /// As everybody may have them.
    var published: JSONWebKeySet {
        JSONWebKeySet(members.map { JSONWebKey($0.key.publicKey, id: $0.id, algorithm: $0.key.algorithm) })
    }

    // MARK: As they are kept

    init?(_ json: JSONValue) {
        guard let array = json.array else { return nil }
        let read: [Member] = array.compactMap { json in
            guard let id = json["id"]?.string, let made = json["made"]?.integer,
                let modulus = json["n"]?.string.flatMap(Base64URL.bytes),
                let exponent = json["e"]?.string.flatMap(Base64URL.bytes),
                let encoded = json["key"]?.string.flatMap(Base64URL.bytes)
            else { return nil }
            let publicKey = PublicKey.rsa(modulus: modulus, exponent: exponent)
            let key = PrivateKey(algorithm: .rs256, publicKey: publicKey, encoded: Secret(encoded))
            return Member(id: id, key: key, made: Int64(made))
        }
        guard read.count == array.count, !read.isEmpty else { return nil }
        members = read
    }

    var json: JSONValue {
        .array(
            members.map { member in
                var (modulus, exponent) = ([UInt8](), [UInt8]())
                if case .rsa(let first, let second) = member.key.publicKey { (modulus, exponent) = (first, second) }
                return .members([
                    "id": .string(member.id), "made": .integer(Int(member.made)),
                    "n": .string(Base64URL.text(of: modulus)), "e": .string(Base64URL.text(of: exponent)),
                    "key": .string(Base64URL.text(of: member.key.encoded.reveal())),
                ])
            }
        )
    }
}

/// The key ring as it is now: made when it is first needed, since that takes a moment, and rotated when it is time.
final class KeyKeeper: Sendable {
    private struct State {
        var ring: KeyRing?
        var making: Task<KeyRing, any Error>?
    }

    private let machine: Machine
    private let state = Mutex(State())
    /// Ten years: what is kept of keys ends by rotation.
    private static let kept: Int64 = 3_650 * 86_400_000

    init(_ machine: Machine) {
        self.machine = machine
    }

    /// The ring, if there is one yet; nothing has been signed where there is none.
    func known(_ records: IssuerRecords) throws -> KeyRing? {
        if let ring = state.withLock({ $0.ring }) { return ring }
        guard let kept = try records.find("", KeyRing.self) else { return nil }
        return state.withLock { state in
            let ring = state.ring ?? kept.record
            state.ring = ring
            return ring
        }
    }

    /// The ring, which is made where there is none, once for all who ask at the same time; it is durable when this returns.
    func ring(_ records: IssuerRecords) async throws -> KeyRing {
        if let ring = try known(records) { return ring }
        let making = state.withLock { state in
            // Not part of the task of who asks first: others wait for it as well.
            let making = state.making ?? Task { try await self.make(records) }
            state.making = making
            return making
        }
        return try await making.value
    }

    private func make(_ records: IssuerRecords) async throws -> KeyRing {
        defer { state.withLock { $0.making = nil } }
        // Somebody may have made it just before.
        if let ring = try known(records) { return ring }
        let new = try KeyRing(by: machine)
        // Of two that are made at once, by this program and another, the first holds for both.
        if try await !records.put(new, "", until: machine.now + Self.kept, if: .absent) {
            if let other = try known(records) { return other }
            // What is there cannot be read, and nothing it has signed can be checked any more.
            try await records.put(new, "", until: machine.now + Self.kept)
        }
        state.withLock { $0.ring = new }
        return new
    }

    /// Takes a new key into use, and tells its name.
    func rotate(_ records: IssuerRecords) async throws -> String? {
        let next = try await ring(records).rotated(by: machine)
        try await records.put(next, "", until: machine.now + Self.kept)
        state.withLock { $0.ring = next }
        return next.present?.id
    }
}
