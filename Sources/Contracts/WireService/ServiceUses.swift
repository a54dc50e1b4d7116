package import WireConfig

/// What a service uses of other services: its initialiser asks for each ability, and there is no other way to get one.
///
/// Run over a plan it says which services must start first; run over a service that is made it finds what those offer.
/// So it must ask for the same abilities whether they are there or not.
package protocol ServiceUses: Sendable {
    init(_ others: inout OtherServices)
}

/// What a service uses that needs no other one.
package struct NoUses: ServiceUses {
    package init(_ others: inout OtherServices) {}
}

/// Other services, as a service asks for what they can do.
package struct OtherServices {
    /// What the file says, for an ability that is used only by some settings.
    package let configuration: Configuration
    private let offered: Abilities
    /// What was asked for, in this order.
    package private(set) var asked: [Provision] = []

    package init(_ configuration: Configuration, offering offered: Abilities = Abilities()) {
        (self.configuration, self.offered) = (configuration, offered)
    }

    /// What does the ability; nil where no service does.
    package mutating func find<Value>(_ ability: ServiceAbility<Value>) -> Value? {
        asked.append(ability.provision)
        return offered[ability]
    }
}
