import WireConfig
package import WireService

/// What can be said of this machine to servers that group devices; nil for what it does not tell.
package struct MachineFacts: Sendable, Equatable {
    /// `Linux`.
    package var platform: String?
    /// `12`, as the distribution counts.
    package var systemVersion: String?
    /// `Debian GNU/Linux 12 (bookworm)`.
    package var systemName: String?
    package var manufacturer: String?
    package var model: String?
    /// `desktop`, `laptop`, `tablet`, `server`, `embedded`, `virtual`.
    package var type: String?
    /// `1920x1080`, of the first screen that is connected.
    package var screenSize: String?
    package var hasNFC: Bool?
    /// `en`, as the environment of the program has it.
    package var language: String?
    /// How far the clocks on its walls are ahead of UTC now, in minutes.
    package var minutesAheadOfUTC: Int?

    package init() {}
}

/// Looks at the machine.
package protocol MachineDescribing: Sendable {
    func facts() -> MachineFacts
}

extension Ability where Value == any MachineDescribing {
    package static var machine: Ability<any MachineDescribing> { Ability(Provision(.runner, "machine")) }
}
