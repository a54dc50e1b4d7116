package import WireBase
import WireConfig
package import WireService

/// Asks queries of the file again, for who has heard that their answers have changed.
package protocol Refetching: Sendable {
    /// Returns when the answer of a query is here; whether it is another one than before.
    func refetch(_ operation: String) async throws(Fault) -> Bool
}

extension ServiceAbility where Value == any Refetching {
    package static var refetching: Self { Self(Provision(.operation, "refetching")) }
}
