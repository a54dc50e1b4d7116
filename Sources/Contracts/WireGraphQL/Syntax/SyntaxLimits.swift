/// How large a text may be before its parser gives up.
package struct SyntaxLimits: Sendable {
    /// How many tokens there may be.
    package var tokens: Int
    /// How deep selections, values and types may nest: a level of a value costs up to 4 KiB of stack in a debug build.
    package var depth: Int

    package init(tokens: Int, depth: Int) {
        self.tokens = tokens
        self.depth = depth
    }

    /// For files that belong to the services file.
    package static let file = Self(tokens: 2_000_000, depth: 100)
    /// For documents that apps send.
    package static let request = Self(tokens: 20_000, depth: 60)
}
