import WireConfig
package import WireService

/// Writes notices to the terminal of the process.
package struct TerminalNotices: Sendable {
    /// Writes a line of sanitized text; false where there is no terminal.
    package let write: @Sendable (String) -> Bool

    package init(_ write: @escaping @Sendable (String) -> Bool) {
        self.write = write
    }
}

extension Ability where Value == TerminalNotices {
    package static var terminalNotices: Self { Self(Provision(.runner, "terminal notices")) }
}
