package import WireBase
package import WireConfig
package import WireSecrets

extension SignedToken {
    /// A new token in its compact form; the members of the claims keep their order.
    package static func signed(
        _ claims: JSONValue,
        type: String = "JWT",
        by key: PrivateKey,
        id: String?,
        with signatures: any Signatures
    ) throws(JOSEFailure) -> String {
        guard case .object = claims, claims.isFinite else {
            throw JOSEFailure(.malformed, "the claims are not a JSON object of finite numbers")
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
    /// What `at_hash`, `c_hash` and `s_hash` are of a text, in a token that is signed this way (OpenID Connect, 3.1.3.6).
    ///
    /// For Ed25519 the digest is SHA-512, the one it has inside.
    package func leftHalfHash(of text: String, with signatures: any Signatures) throws(Fault) -> String {
        Base64URL.text(of: Array(try signatures.digest(Array(text.utf8), digest).prefix(digest.size / 2)))
    }
}

extension JSONValue {
    /// Whether JSON has a way to write every number in it.
    fileprivate var isFinite: Bool {
        switch self {
        case .number(let number): number.isFinite
        case .array(let items): items.allSatisfy(\.isFinite)
        case .object(let members): members.allSatisfy(\.value.isFinite)
        default: true
        }
    }
}
