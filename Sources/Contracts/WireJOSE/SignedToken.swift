package import WireConfig
package import WireSecrets

/// A JWS in its compact form (RFC 7515), taken apart and not believed yet.
package struct SignedToken: Sendable {
    package let header: Header
    /// The claims: one JSON object without a name twice.
    package let claims: JSONValue
    /// What was signed: the first two parts as they came.
    package let signedBytes: [UInt8]
    package let signature: [UInt8]

    package struct Header: Sendable, Hashable {
        package let algorithm: SignatureAlgorithm
        package let keyID: String?
        /// `typ`, without `application/`, in lower case.
        package let type: String?

        package init(algorithm: SignatureAlgorithm, keyID: String?, type: String?) {
            self.algorithm = algorithm
            self.keyID = keyID
            self.type = type
        }
    }
}

/// Why a token or a key set is not what it should be; says nothing of what it holds.
package struct JOSEFailure: Error, Sendable, Hashable {
    package enum Kind: String, Sendable {
        case malformed, unsupported, unknownKey, wrongSignature, machine
    }

    package let kind: Kind
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }
}
