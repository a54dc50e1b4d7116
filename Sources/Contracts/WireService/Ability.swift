package import WireConfig

/// Something a service can do for others, asked for by what it is and never by which service does it.
///
/// What uses it says so in its ``ServiceUses``, and finds it nowhere else.
package struct ServiceAbility<Value: Sendable>: Sendable {
    package let provision: Provision

    package init(_ provision: Provision) {
        self.provision = provision
    }

    /// The ability, with what does it.
    package func offered(by value: Value) -> OfferedAbility {
        OfferedAbility(provision: provision, offer: Offer(value: value))
    }
}

extension Checks {
    /// Says that the service of this section has an ability that others may use.
    package mutating func offer<Value>(_ ability: ServiceAbility<Value>) { offer(ability.provision) }
}

/// Something the runner can do for services: it is there before all of them, and any of them finds it.
package struct Ability<Value: Sendable>: Sendable {
    package let provision: Provision

    package init(_ provision: Provision) {
        self.provision = provision
    }

    /// The ability, with what does it.
    package func offered(by value: Value) -> OfferedAbility {
        OfferedAbility(provision: provision, offer: Offer(value: value))
    }
}

/// An ability together with what does it.
package struct OfferedAbility: Sendable {
    package let provision: Provision
    fileprivate let offer: any Sendable
}

/// A value under its static type: to find out whether a value conforms to a protocol takes far longer.
private struct Offer<Value: Sendable>: Sendable {
    let value: Value
}

/// What is offered, found by the ability.
package struct Abilities: Sendable {
    private var offered: [Provision: OfferedAbility] = [:]

    /// Of two offers of the same ability the later one counts.
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
