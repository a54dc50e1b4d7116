package import WireBase
package import WireConfig
import WireSecrets

extension JSONWebKeySet {
    /// How large a set may be, and how many keys it may have.
    package static let (mostBytes, mostKeys) = (ByteCount.mebibytes(1), 100)

    /// Reads what a server publishes; a key that signatures cannot be checked with, or should not, is passed over.
    ///
    /// Only a set that is none, or too large, is a failure: servers publish keys of kinds that are not known here.
    package init(parsing bytes: [UInt8]) throws(JOSEFailure) {
        guard bytes.count <= Self.mostBytes.bytes else {
            throw JOSEFailure(.malformed, "found a key set of \(bytes.count) bytes, expected \(Self.mostBytes) at most")
        }
        guard let items = try JSONObject.read(bytes, named: "the key set")["keys"]?.array else {
            throw JOSEFailure(.malformed, "the key set has no list 'keys'")
        }
        guard items.count <= Self.mostKeys else {
            throw JOSEFailure(.malformed, "found a set of \(items.count) keys, expected \(Self.mostKeys) at most")
        }
        var keys: [JSONWebKey] = []
        var reasons: [String] = []
        for item in items {
            do throws(JOSEFailure) {
                keys.append(try JSONWebKey(item))
            } catch {
                reasons.append(error.reason)
            }
        }
        self.init(keys, passedOver: reasons)
    }
}

extension JSONWebKey {
    /// Reads a key that signatures can be checked with.
    package init(_ json: JSONValue) throws(JOSEFailure) {
        let members = KeyMembers(json)
        guard try members.text("use").map({ $0 == "sig" }) ?? true else {
            throw JOSEFailure(.unsupported, "the key is not for signatures: 'use'")
        }
        if let operations = json["key_ops"] {
            guard operations.array?.contains(where: { $0.string == "verify" }) ?? false else {
                throw JOSEFailure(.unsupported, "the key is not for checking signatures: 'key_ops'")
            }
        }
        // Whoever can read the set could sign with it.
        guard json["d"] == nil else { throw JOSEFailure(.unsupported, "the key is published with its private half") }
        let key = try members.key()
        if let weakness = key.weakness { throw JOSEFailure(.unsupported, "the key is not to be believed: \(weakness)") }
        var algorithm: SignatureAlgorithm?
        if let name = try members.text("alg") {
            algorithm = SignatureAlgorithm(named: name)
            guard let algorithm, key.canCheck(algorithm) else {
                throw JOSEFailure(.unsupported, "the key is for an algorithm it cannot be used with here: 'alg'")
            }
        }
        self.init(key, id: try members.text("kid"), algorithm: algorithm)
    }
}

/// What a key is made of, as JSON.
private struct KeyMembers {
    let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    func key() throws(JOSEFailure) -> PublicKey {
        switch try text("kty") {
        case "RSA":
            return .rsa(modulus: try number("n"), exponent: try number("e"))
        case "EC":
            let curve = try text("crv").flatMap(EllipticCurve.init(rawValue:))
            guard let curve else { throw JOSEFailure(.unsupported, "the key is of a curve that is not known: 'crv'") }
            return .ec(curve, x: try bytes("x"), y: try bytes("y"))
        case "OKP":
            guard try text("crv") == "Ed25519" else {
                throw JOSEFailure(.unsupported, "the key is of a curve that is not known: 'crv'")
            }
            return .ed25519(try bytes("x"))
        default:
            throw JOSEFailure(.unsupported, "the key is of a kind that is not known: 'kty'")
        }
    }

    func text(_ name: String) throws(JOSEFailure) -> String? {
        guard let value = json[name] else { return nil }
        guard let text = value.string else { throw JOSEFailure(.malformed, "the key's '\(name)' is not text") }
        return text
    }

    private func bytes(_ name: String) throws(JOSEFailure) -> [UInt8] {
        guard let bytes = try text(name).flatMap(Base64URL.bytes(of:)) else {
            throw JOSEFailure(.malformed, "the key has no '\(name)' in base64url")
        }
        return bytes
    }

    /// Some libraries put a zero in front, which is forgiven (RFC 7518, section 6.3.1.1).
    private func number(_ name: String) throws(JOSEFailure) -> [UInt8] {
        Array(try bytes(name).drop { $0 == 0 })
    }
}
