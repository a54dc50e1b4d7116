import WireConfig
package import WireService

/// The load and power state of the machine, for work that can wait.
package protocol HostConditions: Sendable {
    /// Whether the machine is idle; nil where this is unknown.
    var isIdle: Bool? { get }
    /// Whether the machine has external power; nil where this is unknown, as on machines without a battery.
    var hasPower: Bool? { get }
}

extension Ability where Value == any HostConditions {
    package static var hostConditions: Ability<any HostConditions> { Ability(Provision(.runner, "host conditions")) }
}
