import WireBase

/// A lexical token (GraphQL specification, section 2.1.6) and the bytes it stands on.
struct Token {
    var kind: Kind
    var bytes: Range<Int>

    enum Kind: Equatable {
        case end
        /// `!`, `$`, `&`, `(`, `)`, `:`, `=`, `@`, `[`, `]`, `{`, `|`, `}`.
        case mark(Character)
        /// `...`
        case spread
        case name(String)
        case int(String)
        case float(String)
        case string(String)
    }

    /// What a message says was found.
    var found: String {
        switch kind {
        case .end: "the end of the text"
        case .mark(let mark): "'\(mark)'"
        case .spread: "'...'"
        case .name(let name): "'\(name.count > 60 ? name.prefix(60) + "…" : name)'"
        case .int, .float: "a number"
        case .string: "a string"
        }
    }
}
