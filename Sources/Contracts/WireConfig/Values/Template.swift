import WireBase

/// Text with places to be filled from what arrives: `{{ title }}`, `{{ user.name | upper | default: "friend" }}`.
public struct Template: Sendable, Hashable {
    /// The template as written.
    public let text: String
    /// What it is made of.
    public let pieces: [Piece]

    /// A stretch of a template.
    public enum Piece: Sendable, Hashable {
        /// Text that stays as it is.
        case text(String)
        /// A value put in, after its filters.
        case value(path: String, filters: [Filter])
    }

    /// Something done to a value before it is put in.
    public struct Filter: Sendable, Hashable {
        /// Its name.
        public let name: TemplateFilter
        /// What stands behind the colon.
        public let argument: String?
    }

    /// The values it asks for.
    public var variables: [String] {
        pieces.compactMap { if case .value(let path, _) = $0 { path } else { nil } }
    }

    /// The values it asks for without saying what to do when they are missing.
    public var variablesWithoutDefault: [String] {
        pieces.compactMap { piece in
            guard case .value(let path, let filters) = piece, !filters.contains(where: { $0.name == .default }) else {
                return nil
            }
            return path
        }
    }
}

/// What a template can do to a value.
public enum TemplateFilter: String, Sendable, CaseIterable {
    /// All letters large.
    case upper
    /// All letters small.
    case lower
    /// Without white space at the ends.
    case trim
    /// The argument, where there is no value.
    case `default`
    /// At most so many characters.
    case truncate
    /// As JSON writes it.
    case json
    /// As a part of a URL.
    case urlEncode
    /// A time in the form the formatting section says, or the argument.
    case date
    /// A number in the form the formatting section says.
    case number
    /// A size people can read.
    case bytes

    /// Whether it makes no sense without an argument.
    var needsArgument: Bool { self == .default || self == .truncate }
    /// Whether it takes one.
    var takesArgument: Bool { needsArgument || self == .date }
}

extension Template: TextValue {
    package static var textForm: TextForm { TextForm("text, perhaps with {{ names }}", example: "{{ title }}") }

    package init(parsing text: String) throws(Misread) {
        var pieces: [Piece] = []
        var rest = Substring(text)
        while let open = rest.firstRange(ofCharacters: "{{") {
            if rest.startIndex < open.lowerBound { pieces.append(.text(String(rest[..<open.lowerBound]))) }
            let inside = rest[open.upperBound...]
            guard let close = inside.firstRange(ofCharacters: "}}") else {
                throw Misread(expected: "a template whose '{{' is closed", help: "write '}}' after the name")
            }
            pieces.append(try Self.value(inside[..<close.lowerBound]))
            rest = inside[close.upperBound...]
        }
        if !rest.isEmpty || pieces.isEmpty { pieces.append(.text(String(rest))) }
        self.init(text: text, pieces: pieces)
    }

    private static func value(_ inside: Substring) throws(Misread) -> Piece {
        let parts = inside.utf8.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
            .map { Substring($0).trimmed }
        let path = parts[0]
        let isPath =
            !path.isEmpty
            && path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { step in
                !step.isEmpty
                    && step.allSatisfy {
                        $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
                    }
            }
        guard isPath else {
            throw Misread(
                expected: "a template of names such as {{ user.name }}",
                help: "\(String(path).quoted) is not a name"
            )
        }
        var filters: [Filter] = []
        for part in parts.dropFirst() { filters.append(try filter(part)) }
        return .value(path: String(path), filters: filters)
    }

    private static func filter(_ part: Substring) throws(Misread) -> Filter {
        let pieces = part.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
        let word = String(pieces.first?.trimmed ?? "")
        guard let name = TemplateFilter(rawValue: word) else {
            let nearest = Nearest.name(to: word, among: TemplateFilter.allCases.map(\.rawValue))
            throw Misread(
                expected: "a template with known filters",
                help: nearest.map { "\(word.quoted) is not a filter, did you mean '\($0)'?" }
                    ?? "\(word.quoted) is not a filter; there are \(TemplateFilter.allCases.map(\.rawValue).listed("and"))"
            )
        }
        let argument = pieces.count > 1 ? String(pieces[1].trimmed.unquoted) : nil
        if name.needsArgument, argument == nil {
            throw Misread(expected: "a template with complete filters", help: "write '\(word): …'")
        }
        if !name.takesArgument, argument != nil {
            throw Misread(
                expected: "a template with complete filters",
                help: "\(word.quoted) takes nothing after a colon"
            )
        }
        if name == .truncate, argument.flatMap(Int.init) == nil {
            throw Misread(expected: "a template with complete filters", help: "write 'truncate: 80'")
        }
        return Filter(name: name, argument: argument)
    }

    /// The template as written.
    public var description: String { text }
}

extension Substring {
    package var trimmed: Substring {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = utf8.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return prefix(0) }
        return Substring(start[...last])
    }

    fileprivate var unquoted: Substring {
        guard utf8.count >= 2, let first = utf8.first, first == utf8.last,
            first == UInt8(ascii: "\"") || first == UInt8(ascii: "'")
        else { return self }
        return Substring(utf8.dropFirst().dropLast())
    }

    /// Where two ASCII characters stand, compared byte by byte: what combines with a brace is still a brace.
    fileprivate func firstRange(ofCharacters text: String) -> Range<Index>? {
        let wanted = Array(text.utf8)
        var index = utf8.startIndex
        while index < utf8.endIndex {
            let next = utf8.index(after: index)
            if utf8[index] == wanted[0], next < utf8.endIndex, utf8[next] == wanted[1] {
                return index..<utf8.index(after: next)
            }
            index = next
        }
        return nil
    }
}
