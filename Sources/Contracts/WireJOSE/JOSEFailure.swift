/// Why a token or a key set is not what it should be; says nothing of what it holds.
package struct JOSEFailure: Error, Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// It breaks the rules of its format.
        case malformed
        /// It keeps the rules, and asks for what is refused here.
        case unsupported
        /// None of the keys can have signed it.
        case unknownKey
        /// Nobody who has one of the keys has signed it.
        case wrongSignature
        /// The machine could not do what it takes to tell.
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
