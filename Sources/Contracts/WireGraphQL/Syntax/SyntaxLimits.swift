/// The limits of the parser.
package struct SyntaxLimits: Sendable {
    /// The maximum number of tokens.
    package var tokens: Int
    /// The maximum nesting of selections, values and types: a level of a value uses up to 4 KiB of stack in a debug
    /// build.
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
