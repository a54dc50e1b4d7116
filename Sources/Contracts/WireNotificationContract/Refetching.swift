package import WireBase
import WireConfig
package import WireService

/// Runs declared queries again, when their results may have changed.
package protocol Refetching: Sendable {
    /// Returns when the result has arrived, with whether it has changed.
    func refetch(_ operation: String) async throws(Fault) -> Bool
}

extension ServiceAbility where Value == any Refetching {
    package static var refetching: Self { Self(Provision(.operation, "refetching")) }
}
