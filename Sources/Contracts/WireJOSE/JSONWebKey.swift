package import WireBase
package import WireConfig
package import WireSecrets

/// A public key as JSON (RFC 7517), with its declared use.
package struct JSONWebKey: Sendable, Hashable {
    package let key: PublicKey
    package var id: String?
    /// The only algorithm for the key, where one is declared.
    package var algorithm: SignatureAlgorithm?

    package init(_ key: PublicKey, id: String? = nil, algorithm: SignatureAlgorithm? = nil) {
        self.key = key
        self.id = id
        self.algorithm = algorithm
    }
}

extension JSONWebKey {
    /// The key in its published form.
    package var json: JSONValue {
        .object(
            key.members.map { ($0.key, .string($0.value)) }
                + [("use", .string("sig"))]
                + (algorithm.map { [("alg", .string($0.rawValue))] } ?? [])
                + (id.map { [("kid", .string($0))] } ?? [])
        )
    }
}

extension PublicKey {
    /// The thumbprint (RFC 7638) with SHA-256.
    package func thumbprint(with signatures: any Signatures) throws(Fault) -> String {
        let members = members.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
        return Base64URL.text(of: try signatures.digest(JSONValue.object(members).bytes(), .sha256))
    }

    /// The required members of the key (RFC 7638, section 3.2; RFC 8037, section 2).
    fileprivate var members: KeyValuePairs<String, String> {
        switch self {
        case .rsa(let modulus, let exponent):
            ["kty": "RSA", "n": Base64URL.text(of: modulus), "e": Base64URL.text(of: exponent)]
        case .ec(let curve, let x, let y):
            ["kty": "EC", "crv": curve.rawValue, "x": Base64URL.text(of: x), "y": Base64URL.text(of: y)]
        case .ed25519(let point): ["kty": "OKP", "crv": "Ed25519", "x": Base64URL.text(of: point)]
        }
    }
}
