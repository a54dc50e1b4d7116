package import WireConfig

/// Something a service can do for others, asked for by what it is and never by who does it.
package struct Ability<Value: Sendable>: Sendable {
    package let provision: Provision

    package init(_ provision: Provision) {
        self.provision = provision
    }

    /// The ability, done by somebody.
    package func offered(by value: Value) -> OfferedAbility {
        OfferedAbility(provision: provision, value: value)
    }
}

/// An ability together with what does it.
package struct OfferedAbility: Sendable {
    package let provision: Provision
    package let value: any Sendable
}
