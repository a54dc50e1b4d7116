import WireBase

/// Text with placeholders: `{{ title }}`, `{{ user.name | upper | default: "friend" }}`.
package struct Template: Sendable, Hashable {
    /// The template as written.
    package let text: String
    /// The parsed template.
    package let pieces: [Piece]

    /// A part of a template.
    package enum Piece: Sendable, Hashable {
        /// Literal text.
        case text(String)
        /// A value, with filters.
        case value(path: String, filters: [Filter])
    }

    /// A filter of a placeholder.
    package struct Filter: Sendable, Hashable {
        /// Its name.
        package let name: TemplateFilter
        /// The text after the colon.
        package let argument: String?
        /// The localized format; nil for filters without one.
        package let form: ValueForm?
    }

    /// The paths of all placeholders.
    package var variables: [String] {
        pieces.compactMap { if case .value(let path, _) = $0 { path } else { nil } }
    }

    /// The paths of placeholders without a default.
    package var variablesWithoutDefault: [String] {
        pieces.compactMap { piece in
            guard case .value(let path, let filters) = piece, !filters.contains(where: { $0.name == .default }) else {
                return nil
            }
            return path
        }
    }
}

extension Template: TextValue {
    package static var textForm: TextForm {
        TextForm("text, perhaps with {{ names }}", example: "{{ title }}", pattern: pattern)
    }

    /// Matches closed placeholders with a name and known filters.
    private static let pattern: String = {
        let name = "[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*"
        let filters = TemplateFilter.allCases.map(\.rawValue).joined(separator: "|")
        let argument = "(?:\"[^\"]*\"|'[^']*'|[^|}]|\\}(?!\\}))*"
        let value = "[ \\t]*\(name)[ \\t]*(?:\\|[ \\t]*(?:\(filters))[ \\t]*(?::\(argument))?)*"
        return "^(?:[^{]|\\{(?!\\{)|\\{\\{\(value)\\}\\})*$"
    }()

    /// Works on bytes, so that combining marks do not hide braces.
    package init(parsing text: String) throws(Misread) {
        var pieces: [Piece] = []
        var rest = Array(text.utf8)[...]
        while let open = rest.firstPair(of: UInt8(ascii: "{")) {
            if rest.startIndex < open { pieces.append(.text(String(decoding: rest[..<open], as: UTF8.self))) }
            let inside = rest[(open + 2)...]
            guard let close = inside.firstPair(of: UInt8(ascii: "}")) else {
                throw Misread(expected: "a template whose '{{' is closed", help: "write '}}' after the name")
            }
            pieces.append(try Self.value(inside[..<close]))
            rest = inside[(close + 2)...]
        }
        if pieces.isEmpty {
            pieces.append(.text(text))
        } else if !rest.isEmpty {
            pieces.append(.text(String(decoding: rest, as: UTF8.self)))
        }
        self.init(text: text, pieces: pieces)
    }

    private static func value(_ inside: ArraySlice<UInt8>) throws(Misread) -> Piece {
        let end = inside.firstIndex(of: UInt8(ascii: "|")) ?? inside.endIndex
        let path = inside[..<end].trimmed
        guard path.isPathOfNames else {
            throw Misread(
                expected: "a template of names such as {{ user.name }}",
                help: "\(String(decoding: path, as: UTF8.self).quoted) is not a name"
            )
        }
        var filters: [Filter] = []
        if end < inside.endIndex {
            for part in inside[(end + 1)...].splitOutsideQuotes(at: UInt8(ascii: "|")) {
                filters.append(try filter(String(decoding: part, as: UTF8.self)[...].trimmed))
            }
        }
        return .value(path: String(decoding: path, as: UTF8.self), filters: filters)
    }

    private static func filter(_ part: Substring) throws(Misread) -> Filter {
        let pieces = part.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
        let word = String(pieces.first?.trimmed ?? "")
        guard let name = TemplateFilter(rawValue: word) else {
            let nearest = Nearest.name(to: word, among: TemplateFilter.allCases.map(\.rawValue))
            throw Misread(
                expected: "a template with known filters",
                help: nearest.map { "unknown filter \(word.quoted), did you mean '\($0)'?" }
                    ?? "unknown filter \(word.quoted); there are \(TemplateFilter.allCases.map(\.rawValue).listed("and"))"
            )
        }
        let argument = pieces.count > 1 ? String(pieces[1].trimmed.unquoted) : nil
        if name.needsArgument, argument == nil {
            throw Misread(expected: "a template with complete filters", help: "write '\(word): …'")
        }
        if !name.takesArgument, argument != nil {
            throw Misread(
                expected: "a template with complete filters",
                help: "\(word.quoted) has no argument"
            )
        }
        if name == .truncate, argument.flatMap(Int.init) ?? -1 < 0 {
            throw Misread(expected: "a template with complete filters", help: "write 'truncate: 80'")
        }
        return Filter(name: name, argument: argument, form: try ValueForm(name, argument))
    }

    /// The template as written.
    package var description: String { text }
}

extension Substring {
    package var trimmed: Substring { Substring(utf8.trimmed) }

    fileprivate var unquoted: Substring {
        guard utf8.count >= 2, let first = utf8.first, first == utf8.last,
            first == UInt8(ascii: "\"") || first == UInt8(ascii: "'")
        else { return self }
        return Substring(utf8.dropFirst().dropLast())
    }
}

extension BidirectionalCollection<UInt8> {
    /// Without blanks and tabs at both ends.
    fileprivate var trimmed: SubSequence {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return start }
        return start[...last]
    }
}

extension ArraySlice<UInt8> {
    /// Splits at separators outside quotes; unclosed quotes have no effect.
    fileprivate func splitOutsideQuotes(at separator: UInt8) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var (start, index) = (startIndex, startIndex)
        while index < endIndex {
            let byte = self[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"),
                let close = self[(index + 1)...].firstIndex(of: byte)
            {
                index = close
            } else if byte == separator {
                parts.append(self[start..<index])
                start = index + 1
            }
            index += 1
        }
        return parts + [self[start...]]
    }

    /// The first position of two equal bytes.
    fileprivate func firstPair(of byte: UInt8) -> Index? {
        guard count >= 2 else { return nil }
        return (startIndex..<endIndex - 1).first { self[$0] == byte && self[$0 + 1] == byte }
    }

    /// Whether the text is a path: names separated by dots.
    fileprivate var isPathOfNames: Bool {
        var hasName = false
        for byte in self {
            if byte == UInt8(ascii: ".") {
                guard hasName else { return false }
                hasName = false
            } else {
                guard byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") else {
                    return false
                }
                hasName = true
            }
        }
        return hasName
    }
}
