/// Why a token or a key set is invalid; never contains its content.
package struct JOSEFailure: Error, Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// Violates the format.
        case malformed
        /// Valid, but uses a feature that is not supported.
        case unsupported
        /// None of the keys can have signed the token.
        case unknownKey
        /// The signature does not match any of the keys.
        case wrongSignature
        /// Cryptography on this machine failed.
        case machine
    }

    package let kind: Kind
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }
}

extension JOSEFailure: CustomStringConvertible {
    package var description: String { reason }
}
