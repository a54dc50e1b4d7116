import WireConfig
package import WireService

/// Whether servers can be reached, as far as it can be observed.
package protocol Connectivity: Sendable {
    var isOnline: Bool { get }
    /// Why not, in words; nil while it is online.
    var obstacle: String? { get }
    /// Whether it is online from now on, beginning with now; ends when the service that observes it ends.
    func changes() -> AsyncStream<Bool>
}

extension ServiceAbility where Value == any Connectivity {
    package static var connectivity: Self { Self(Provision(.requests, "connectivity")) }
}

/// The network interfaces of this machine, as the system tells of them.
package protocol NetworkLinks: Sendable {
    /// Whether any but the loopback one is up and has an address; nil where the system does not tell.
    var haveAddress: Bool? { get }
    /// The same from now on, beginning with now; ends when the task that listens is cancelled.
    func changes() -> AsyncStream<Bool?>
}

extension Ability where Value == any NetworkLinks {
    package static var networkLinks: Ability<any NetworkLinks> { Ability(Provision(.runner, "network links")) }
}
