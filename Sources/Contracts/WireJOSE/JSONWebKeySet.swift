package import WireConfig
import WireSecrets

/// The keys of a server (RFC 7517, section 5) that can verify signatures.
package struct JSONWebKeySet: Sendable {
    package let keys: [JSONWebKey]

    /// The reasons why other keys of the set were skipped, in order.
    package let passedOver: [String]

    package init(_ keys: [JSONWebKey]) {
        self.keys = keys
        passedOver = []
    }

    init(_ keys: [JSONWebKey], passedOver: [String]) {
        self.keys = keys
        self.passedOver = passedOver
    }

    /// The keys in their published form.
    package var json: JSONValue {
        .object([("keys", .array(keys.map(\.json)))])
    }

    /// The maximum number of keys tried for one token.
    package static let mostCandidates = 8

    /// The keys that may have signed a token: those with its `kid`, or all of its algorithm where it has none.
    ///
    /// Several keys with one `kid` are all candidates, because an owner may have one per algorithm. Where no key has
    /// the token's `kid`, keys without a `kid` are candidates. A key with another `kid` is never tried.
    package func candidates(for header: JOSEHeader) -> [JSONWebKey] {
        let fitting = keys.filter {
            ($0.algorithm == nil || $0.algorithm == header.algorithm) && $0.key.canCheck(header.algorithm)
        }
        guard let name = header.keyID else { return Array(fitting.prefix(Self.mostCandidates)) }
        let named = fitting.filter { $0.id?.isExactly(name) ?? false }
        return Array((named.isEmpty ? fitting.filter { $0.id == nil } : named).prefix(Self.mostCandidates))
    }
}
