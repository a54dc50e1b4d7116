package import WireBase
import WireConfig
package import WireService

/// Writes to the state of apps, for services that store values on their behalf.
package protocol StateWriting: Sendable {
    /// Stores text under a key, without waiting for the disk: it is confirmed with the next write that is.
    ///
    /// A power failure before that undoes it, but never a later write without it; a version that others have seen by then
    /// is given again.
    func write(_ text: String, under key: String, in namespace: String) async throws(Fault)
}

extension ServiceAbility where Value == any StateWriting {
    package static var stateWriting: Self { Self(Provision(.state)) }
}
