import WireConfig
package import WireService

/// How busy and how fed the machine is, for work that can wait for a better moment.
package protocol HostConditions: Sendable {
    /// Whether it has little to do; nil where it does not tell.
    var isIdle: Bool? { get }
    /// Whether it is fed by something else than a battery; nil where it does not tell, as machines without one do.
    var hasPower: Bool? { get }
}

extension Ability where Value == any HostConditions {
    package static var hostConditions: Ability<any HostConditions> { Ability(Provision(.runner, "host conditions")) }
}
