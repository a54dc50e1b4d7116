import WireConfig
package import WireService

/// Facts about this machine for servers that group devices; nil where unknown.
package struct MachineFacts: Sendable, Equatable {
    /// `Linux`.
    package var platform: String?
    /// `12`, the version of the distribution.
    package var systemVersion: String?
    /// `Debian GNU/Linux 12 (bookworm)`.
    package var systemName: String?
    package var manufacturer: String?
    package var model: String?
    /// `desktop`, `laptop`, `tablet`, `server`, `embedded`, `virtual`.
    package var type: String?
    /// `1920x1080`, of the first connected screen.
    package var screenSize: String?
    package var hasNFC: Bool?
    /// `en`, from the environment of the process.
    package var language: String?
    /// The current offset of local time from UTC, in minutes.
    package var minutesAheadOfUTC: Int?

    package init() {}
}

/// Reads the facts of the machine.
package protocol MachineDescribing: Sendable {
    func facts() -> MachineFacts
}

extension Ability where Value == any MachineDescribing {
    package static var machine: Ability<any MachineDescribing> { Ability(Provision(.runner, "machine")) }
}
