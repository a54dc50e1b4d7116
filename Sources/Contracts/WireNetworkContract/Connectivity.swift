import WireConfig
package import WireService

/// Whether servers are reachable, as far as this can be observed.
package protocol Connectivity: Sendable {
    var isOnline: Bool { get }
    /// Why servers are not reachable; nil while online.
    var obstacle: String? { get }
    /// Yields the current state and every change; ends with the service that observes it.
    func changes() -> AsyncStream<Bool>
}

extension ServiceAbility where Value == any Connectivity {
    package static var connectivity: Self { Self(Provision(.requests, "connectivity")) }
}

/// The network interfaces of this machine, as reported by the system.
package protocol NetworkLinks: Sendable {
    /// Whether any interface other than loopback is up with an address; nil where unknown.
    var haveAddress: Bool? { get }
    /// Yields the current state and every change, until the task is cancelled.
    func changes() -> AsyncStream<Bool?>
}

extension Ability where Value == any NetworkLinks {
    package static var networkLinks: Ability<any NetworkLinks> { Ability(Provision(.runner, "network links")) }
}
