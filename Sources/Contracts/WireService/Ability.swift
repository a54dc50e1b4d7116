package import WireConfig

/// An interface that one service provides to others, requested by type and not by the name of the service.
///
/// A service lists the abilities it uses in its ``ServiceUses``; there is no other way to get one.
package struct ServiceAbility<Value: Sendable>: Sendable {
    package let provision: Provision

    package init(_ provision: Provision) {
        self.provision = provision
    }

    /// Pairs the ability with its implementation.
    package func offered(by value: Value) -> OfferedAbility {
        OfferedAbility(provision: provision, offer: Offer(value: value))
    }
}

extension Checks {
    /// Declares that the service of this section provides an ability.
    package mutating func offer<Value>(_ ability: ServiceAbility<Value>) { offer(ability.provision) }
}

/// An interface that the runner provides to all services; available before any service exists.
package struct Ability<Value: Sendable>: Sendable {
    package let provision: Provision

    package init(_ provision: Provision) {
        self.provision = provision
    }

    /// Pairs the ability with its implementation.
    package func offered(by value: Value) -> OfferedAbility {
        OfferedAbility(provision: provision, offer: Offer(value: value))
    }
}

/// An ability with its implementation.
package struct OfferedAbility: Sendable {
    package let provision: Provision
    fileprivate let offer: any Sendable
}

/// Holds a value with its static type, because a dynamic cast to a protocol is much slower.
private struct Offer<Value: Sendable>: Sendable {
    let value: Value
}

/// A collection of offered abilities.
package struct Abilities: Sendable {
    private var offered: [Provision: OfferedAbility] = [:]

    /// Of two offers of the same ability the later one is used.
    package init(_ abilities: [OfferedAbility] = []) { add(abilities) }

    package mutating func add(_ abilities: [OfferedAbility]) {
        for ability in abilities { offered[ability.provision] = ability }
    }

    package subscript<Value>(ability: ServiceAbility<Value>) -> Value? { value(ability.provision) }
    package subscript<Value>(ability: Ability<Value>) -> Value? { value(ability.provision) }

    private func value<Value: Sendable>(_ provision: Provision) -> Value? {
        (offered[provision]?.offer as? Offer<Value>)?.value
    }
}
