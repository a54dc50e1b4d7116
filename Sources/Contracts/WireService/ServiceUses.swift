package import WireConfig

/// The abilities a service uses: its initialiser requests each one, and there is no other way to get one.
///
/// Run over a plan, the initialiser determines which services must start first; run over created services, it finds
/// their abilities. It must request the same abilities in both cases.
package protocol ServiceUses: Sendable {
    init(_ others: inout OtherServices)
}

/// For a service that uses no other services.
package struct NoUses: ServiceUses {
    package init(_ others: inout OtherServices) {}
}

/// Finds abilities of other services by type.
package struct OtherServices {
    /// The configuration, for abilities that only some settings need.
    package let configuration: Configuration
    private let offered: Abilities
    /// The requested abilities, in order.
    package private(set) var asked: [Provision] = []

    package init(_ configuration: Configuration, offering offered: Abilities = Abilities()) {
        (self.configuration, self.offered) = (configuration, offered)
    }

    /// Finds an ability; nil where no service provides it.
    package mutating func find<Value>(_ ability: ServiceAbility<Value>) -> Value? {
        asked.append(ability.provision)
        return offered[ability]
    }
}
