import WireBase

/// A lexical token (GraphQL specification, section 2.1.6) with its byte range.
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

    /// The description of the token in messages.
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
