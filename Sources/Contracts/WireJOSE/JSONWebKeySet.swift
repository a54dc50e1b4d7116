package import WireConfig
import WireSecrets

/// The keys of a server (RFC 7517, section 5): those that signatures can be checked with, others are passed over.
package struct JSONWebKeySet: Sendable {
    package let keys: [JSONWebKey]

    /// Why other keys of the set are not among ``keys``, one reason for each, in their order.
    package let passedOver: [String]

    package init(_ keys: [JSONWebKey]) {
        self.keys = keys
        passedOver = []
    }

    init(_ keys: [JSONWebKey], passedOver: [String]) {
        self.keys = keys
        self.passedOver = passedOver
    }

    /// The keys as their owner publishes them.
    package var json: JSONValue {
        .object([("keys", .array(keys.map(\.json)))])
    }

    /// How many keys are tried for one token.
    package static let mostCandidates = 8

    /// The keys that a signature may be by: those of its `kid`, or all of its algorithm where it has none.
    ///
    /// Several keys of one `kid` are all candidates: they come from one owner, who may have one for each algorithm. A token that
    /// names a key is never tried with one that has another name, or none.
    package func candidates(for header: JOSEHeader) -> [JSONWebKey] {
        Array(
            keys.lazy.filter { key in
                (header.keyID.map { key.id?.isExactly($0) ?? false } ?? true)
                    && (key.algorithm == nil || key.algorithm == header.algorithm)
                    && key.key.canCheck(header.algorithm)
            }.prefix(Self.mostCandidates)
        )
    }
}
