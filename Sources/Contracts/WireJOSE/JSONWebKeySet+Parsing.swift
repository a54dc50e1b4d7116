package import WireBase
package import WireConfig
import WireSecrets

extension JSONWebKeySet {
    /// The maximum size of a set, and the maximum number of keys.
    package static let (mostBytes, mostKeys) = (ByteCount.mebibytes(1), 100)

    /// Parses the key set of a server; keys that cannot or must not be used for signatures are skipped.
    ///
    /// Only an invalid or too large set is a failure, because servers publish keys of unknown types.
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
    /// Reads a key for verifying signatures.
    package init(_ json: JSONValue) throws(JOSEFailure) {
        let members = KeyMembers(json)
        guard try members.text("use").map({ $0 == "sig" }) ?? true else {
            throw JOSEFailure(.unsupported, "the key is not for signatures ('use')")
        }
        if let operations = json["key_ops"] {
            guard operations.array?.contains(where: { $0.string == "verify" }) ?? false else {
                throw JOSEFailure(.unsupported, "the key is not for verifying signatures ('key_ops')")
            }
        }
        // Anyone who can read the set could sign with the key.
        guard json["d"] == nil else { throw JOSEFailure(.unsupported, "the key set contains the private key") }
        let key = try members.key()
        if let weakness = key.weakness { throw JOSEFailure(.unsupported, "the key is too weak: \(weakness)") }
        var algorithm: SignatureAlgorithm?
        if let name = try members.text("alg") {
            algorithm = SignatureAlgorithm(named: name)
            guard let algorithm, key.canCheck(algorithm) else {
                throw JOSEFailure(.unsupported, "the key does not fit its algorithm ('alg')")
            }
        }
        self.init(key, id: try members.text("kid"), algorithm: algorithm)
    }
}

/// The parameters of a key in JSON.
private struct KeyMembers {
    let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    func key() throws(JOSEFailure) -> PublicKey {
        switch try text("kty") {
        case "RSA":
            return .rsa(modulus: try number("n"), exponent: try number("e"))
        case "EC":
            let curve = try text("crv").flatMap(EllipticCurve.init(rawValue:))
            guard let curve else { throw JOSEFailure(.unsupported, "the curve is not supported ('crv')") }
            return .ec(curve, x: try bytes("x"), y: try bytes("y"))
        case "OKP":
            guard try text("crv") == "Ed25519" else {
                throw JOSEFailure(.unsupported, "the curve is not supported ('crv')")
            }
            return .ed25519(try bytes("x"))
        default:
            throw JOSEFailure(.unsupported, "the key type is not supported ('kty')")
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

    /// Accepts a leading zero byte, which some libraries add (RFC 7518, section 6.3.1.1).
    private func number(_ name: String) throws(JOSEFailure) -> [UInt8] {
        Array(try bytes(name).drop { $0 == 0 })
    }
}
