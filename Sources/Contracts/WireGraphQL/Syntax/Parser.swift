package import WireBase

/// Parses GraphQL: executable documents and type systems (GraphQL specification, appendix B).
///
/// Stops at the first error.
package struct Parser {
    let source: SourceFile
    let limits: SyntaxLimits
    private var lexer: Lexer
    var token: Token
    private var lastEnd = 0
    private var tokens = 0
    var depth = 0

    private init(_ source: SourceFile, _ limits: SyntaxLimits) throws(Finding) {
        self.source = source
        self.limits = limits
        lexer = Lexer(source)
        token = Token(kind: .end, bytes: 0..<0)
        try advance()
    }

    /// Reads a whole text.
    package static func document(_ source: SourceFile, limits: SyntaxLimits = .file) throws(Finding) -> Syntax.Document
    {
        try checkEncoding(source)
        var parser = try Parser(source, limits)
        var definitions: [Syntax.Definition] = []
        repeat { definitions.append(try parser.definition()) } while parser.token.kind != .end
        return Syntax.Document(definitions)
    }

    /// Reads a value alone, such as a default value of introspection.
    package static func value(_ text: String, limits: SyntaxLimits = .request) throws(Finding) -> Syntax.Value {
        var parser = try Parser(SourceFile(name: "", bytes: Array(text.utf8), isFile: false), limits)
        let value = try parser.value(isConstant: true)
        guard parser.token.kind == .end else { throw parser.unexpected("the end of the value") }
        return value
    }

    private static func checkEncoding(_ source: SourceFile) throws(Finding) {
        guard let offset = source.bytes.firstInvalidUTF8 else { return }
        throw Finding(.syntax, "the text is not UTF-8", at: SourceRange(source, offset..<offset + 1))
    }

    // MARK: Tokens

    mutating func advance() throws(Finding) {
        lastEnd = token.bytes.upperBound
        token = try lexer.next()
        tokens += 1
        guard tokens <= limits.tokens else {
            throw Finding(.limits, "the text has more than \(limits.tokens) tokens", at: place(token.bytes))
        }
    }

    func place(_ bytes: Range<Int>) -> SourceRange { SourceRange(source, bytes) }

    /// The range from a byte to the end of the last token.
    func place(from start: Int) -> SourceRange { place(start..<max(start, lastEnd)) }

    var start: Int { token.bytes.lowerBound }

    func isAt(_ mark: Character) -> Bool { token.kind == .mark(mark) }

    func isAt(word: String) -> Bool { token.kind == .name(word) }

    /// Consumes a punctuator if it is next.
    mutating func consume(_ mark: Character) throws(Finding) -> Bool {
        guard isAt(mark) else { return false }
        try advance()
        return true
    }

    mutating func expect(_ mark: Character) throws(Finding) {
        guard try consume(mark) else { throw unexpected("'\(mark)'") }
    }

    mutating func consume(word: String) throws(Finding) -> Bool {
        guard isAt(word: word) else { return false }
        try advance()
        return true
    }

    mutating func name(_ expected: String = "a name") throws(Finding) -> Syntax.Name {
        guard case .name(let text) = token.kind else { throw unexpected(expected) }
        let name = Syntax.Name(text, place(token.bytes))
        try advance()
        return name
    }

    /// One or more items between two punctuators.
    mutating func items<Item>(
        of what: String,
        _ open: Character,
        _ close: Character,
        _ item: (inout Self) throws(Finding) -> Item
    ) throws(Finding) -> [Item] {
        try expect(open)
        guard !isAt(close) else { throw unexpected(what) }
        var items: [Item] = []
        repeat { items.append(try item(&self)) } while try !consume(close)
        return items
    }

    /// Items between two punctuators, or none where the first one is not next.
    mutating func optionalItems<Item>(
        of what: String,
        _ open: Character,
        _ close: Character,
        _ item: (inout Self) throws(Finding) -> Item
    ) throws(Finding) -> [Item] {
        isAt(open) ? try items(of: what, open, close, item) : []
    }

    /// Enters a nesting level; leaving it decrements `depth`.
    mutating func goDeeper() throws(Finding) {
        depth += 1
        guard depth <= limits.depth else {
            throw Finding(.limits, "the text nests deeper than \(limits.depth) levels", at: place(token.bytes))
        }
    }

    func unexpected(_ expected: String, help: String? = nil) -> Finding {
        Finding(.syntax, "expected \(expected), found \(token.found)", at: place(token.bytes), help: help)
    }

    // MARK: Definitions

    private mutating func definition() throws(Finding) -> Syntax.Definition {
        if isAt("{") { return .operation(try operation(described: nil)) }
        let begin = start
        let description = try description()
        guard case .name(let word) = token.kind else {
            throw unexpected(description == nil ? "a definition" : "the definition that the description belongs to")
        }
        switch word {
        case "query", "mutation", "subscription":
            return .operation(try operation(described: description, from: begin))
        case "fragment": return .fragment(try fragment(described: description, from: begin))
        case "extend":
            guard description == nil else { throw unexpected("a definition", help: "an extension has no description") }
            return try typeSystemDefinition(described: nil, from: begin)
        case "schema", "scalar", "type", "interface", "union", "enum", "input", "directive":
            return try typeSystemDefinition(described: description, from: begin)
        default:
            let near = Nearest.name(to: word, among: Self.definitionWords)
            throw unexpected("a definition", help: near.map { "did you mean '\($0)'?" })
        }
    }

    private static let definitionWords = [
        "query", "mutation", "subscription", "fragment", "schema", "scalar", "type", "interface", "union", "enum",
        "input", "directive", "extend",
    ]

    mutating func description() throws(Finding) -> Syntax.Description? {
        guard case .string(let text) = token.kind else { return nil }
        let description = Syntax.Description(text: text, place: place(token.bytes))
        try advance()
        return description
    }
}

extension [UInt8] {
    /// The first byte that cannot belong to a UTF-8 text.
    fileprivate var firstInvalidUTF8: Int? {
        guard String(validating: self, as: UTF8.self) == nil else { return nil }
        var decoder = UTF8()
        var iterator = makeIterator()
        var offset = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput, .error: return Swift.min(offset, count - 1)
            }
        }
    }
}
