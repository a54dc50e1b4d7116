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
    /// Several keys of one `kid` are all candidates: they come from one owner, who may have one for each algorithm. Where no key
    /// has the name that a token says, those without a name are: some owners name keys in tokens alone. A key of another name is
    /// never tried.
    package func candidates(for header: JOSEHeader) -> [JSONWebKey] {
        let fitting = keys.filter {
            ($0.algorithm == nil || $0.algorithm == header.algorithm) && $0.key.canCheck(header.algorithm)
        }
        guard let name = header.keyID else { return Array(fitting.prefix(Self.mostCandidates)) }
        let named = fitting.filter { $0.id?.isExactly(name) ?? false }
        return Array((named.isEmpty ? fitting.filter { $0.id == nil } : named).prefix(Self.mostCandidates))
    }
}
