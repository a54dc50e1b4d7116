package import WireConfig

/// Something a service can do for others, asked for by what it is and never by who does it.
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

    /// What does the ability; nil for another one.
    package func value<Value>(of ability: Ability<Value>) -> Value? {
        provision == ability.provision ? (offer as? Offer<Value>)?.value : nil
    }
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

    package subscript<Value>(ability: Ability<Value>) -> Value? { offered[ability.provision]?.value(of: ability) }
}
