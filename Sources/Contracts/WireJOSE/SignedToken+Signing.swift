package import WireBase
package import WireConfig
package import WireSecrets

extension SignedToken {
    /// Makes a signed token in compact form; claims keep their order.
    package static func signed(
        _ claims: JSONValue,
        type: String = "JWT",
        by key: PrivateKey,
        id: String?,
        with signatures: any Signatures
    ) throws(JOSEFailure) -> String {
        guard case .object = claims, claims.isFinite else {
            throw JOSEFailure(.malformed, "the claims are not a JSON object, or contain an infinite number")
        }
        let header = JSONValue.members([
            "alg": .string(key.algorithm.rawValue), "typ": .string(type), "kid": id.map(JSONValue.string),
        ])
        let signed = [header, claims].map { Base64URL.text(of: $0.bytes()) }.joined(separator: ".")
        do throws(Fault) {
            return "\(signed).\(Base64URL.text(of: try signatures.sign(Array(signed.utf8), with: key)))"
        } catch {
            throw JOSEFailure(.machine, error.reason)
        }
    }
}

extension SignatureAlgorithm {
    /// The value of `at_hash`, `c_hash` or `s_hash` for a text (OpenID Connect, 3.1.3.6).
    ///
    /// For Ed25519 the digest is SHA-512, as in the algorithm.
    package func leftHalfHash(of text: String, with signatures: any Signatures) throws(Fault) -> String {
        Base64URL.text(of: Array(try signatures.digest(Array(text.utf8), digest).prefix(digest.size / 2)))
    }
}

extension JSONValue {
    /// Whether JSON can represent all numbers in the value.
    fileprivate var isFinite: Bool {
        switch self {
        case .number(let number): number.isFinite
        case .array(let items): items.allSatisfy(\.isFinite)
        case .object(let members): members.allSatisfy(\.value.isFinite)
        default: true
        }
    }
}
