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
    init(by machine: Machine) throws(SecrecyFailure) {
        members = [try Self.make(machine), try Self.make(machine)]
    }

    var present: Member? { members.first }

    func isDue(at now: Int64) -> Bool {
        guard let present else { return true }
        return now - present.made >= Self.age
    }

    /// The same with a new key to sign with; what the last but one has signed is believed no more.
    func rotated(by machine: Machine) throws(SecrecyFailure) -> KeyRing {
        var ring = self
        ring.members = [try Self.make(machine)] + members.prefix(1)
        return ring
    }

    private static func make(_ machine: Machine) throws(SecrecyFailure) -> Member {
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

/// The key ring as it is now: read once, rotated when it is time.
final class KeyKeeper: Sendable {
    private let machine: Machine
    private let ring: Mutex<KeyRing>
    /// Ten years: what is kept of keys ends by rotation.
    private static let kept: Int64 = 3_650 * 86_400_000

    private init(_ machine: Machine, _ ring: KeyRing) {
        self.machine = machine
        self.ring = Mutex(ring)
    }

    /// The ring that is kept, or a new one; of two that are made at once the first holds for both.
    static func load(_ records: IssuerRecords, _ machine: Machine) async throws -> KeyKeeper {
        if let kept = try records.find("", KeyRing.self) { return KeyKeeper(machine, kept.record) }
        let new = try KeyRing(by: machine)
        if try await records.put(new, "", until: machine.now + kept, if: .absent) { return KeyKeeper(machine, new) }
        guard let other = try records.find("", KeyRing.self) else {
            // What is there cannot be read, and nothing it has signed can be checked any more.
            try await records.put(new, "", until: machine.now + kept)
            return KeyKeeper(machine, new)
        }
        return KeyKeeper(machine, other.record)
    }

    var present: KeyRing { ring.withLock { $0 } }

    /// Takes a new key into use.
    func rotate(_ records: IssuerRecords) async throws {
        let next = try present.rotated(by: machine)
        try await records.put(next, "", until: machine.now + Self.kept)
        ring.withLock { $0 = next }
    }
}
