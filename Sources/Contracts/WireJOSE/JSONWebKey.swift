package import WireSecrets

/// A public key as JSON (RFC 7517), with what its owner says it may be used for.
package struct JSONWebKey: Sendable, Hashable {
    package let key: PublicKey
    package var id: String?
    /// The only algorithm it may be used with, where it says one.
    package var algorithm: SignatureAlgorithm?

    package init(_ key: PublicKey, id: String? = nil, algorithm: SignatureAlgorithm? = nil) {
        self.key = key
        self.id = id
        self.algorithm = algorithm
    }
}

/// The keys of a server (RFC 7517, section 5): those that signatures can be checked with, others are passed over.
package struct JSONWebKeySet: Sendable {
    package let keys: [JSONWebKey]

    package init(_ keys: [JSONWebKey]) {
        self.keys = keys
    }

    /// The keys that a signature may be by: those of its `kid`, or all of its algorithm where it has none.
    package func candidates(for header: SignedToken.Header) -> [JSONWebKey] {
        keys.filter { key in
            (header.keyID == nil || key.id == header.keyID)
                && (key.algorithm == nil || key.algorithm == header.algorithm)
                && key.key.canCheck(header.algorithm)
        }
    }
}

extension PublicKey {
    /// Whether signatures of an algorithm can be by a key of this kind.
    package func canCheck(_ algorithm: SignatureAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.rsa, .rs256), (.rsa, .rs384), (.rsa, .rs512), (.rsa, .ps256), (.rsa, .ps384), (.rsa, .ps512): true
        case (.ec(.p256, _, _), .es256), (.ec(.p384, _, _), .es384), (.ec(.p521, _, _), .es512): true
        case (.ed25519, .eddsa): true
        default: false
        }
    }
}
