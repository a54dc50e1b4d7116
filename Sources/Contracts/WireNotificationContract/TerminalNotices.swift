import WireConfig
package import WireService

/// The terminal the program runs in, for a line that people are to read at once.
package struct TerminalNotices: Sendable {
    /// Writes a line, whose text is fit for a terminal already; false where nobody can read it.
    package let write: @Sendable (String) -> Bool

    package init(_ write: @escaping @Sendable (String) -> Bool) {
        self.write = write
    }
}

extension Ability where Value == TerminalNotices {
    package static var terminalNotices: Self { Self(Provision(.runner, "terminal notices")) }
}
