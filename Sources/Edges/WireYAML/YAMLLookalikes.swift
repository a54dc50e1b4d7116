import WireBase
import WireConfig

/// Mistakes that YAML accepts as text: characters that look like quotes and spaces, an equals sign for a colon, the
/// marks of an unfinished merge.
struct YAMLLookalikes {
    private let source: SourceFile
    /// The position of the previous scalar; far to the right after any other event.
    private var lastLine = -1
    private var lastColumn = Int.max

    init(_ source: SourceFile) {
        self.source = source
    }

    mutating func noteDocument() { (lastLine, lastColumn) = (-1, -1) }
    mutating func noteScalar(_ event: YAMLEvent) { (lastLine, lastColumn) = (event.line, event.column) }
    mutating func noteOther() { lastColumn = .max }

    /// Examines a plain scalar.
    ///
    /// Throws for an unclear one; otherwise reports the problem and returns the intended bytes.
    func examine(_ event: YAMLEvent, _ builder: inout DocumentBuilder) throws(Unreadable) -> Range<Int>? {
        // The only value of a key, on the next line and not a mapping: probably a mapping without a colon.
        if event.line > lastLine, event.column > lastColumn, let problem = source.equalsSign(at: event.place.lowerBound)
        {
            throw Unreadable(problem)
        }
        if event.isWide { return try examineWide(event.place, &builder) }
        if let first = source.bytes[event.place].first, first == UInt8(ascii: "<"),
            let problem = source.mergeMark(at: event.place.lowerBound)
        {
            throw Unreadable(problem)
        }
        return nil
    }

    private func examineWide(_ place: Range<Int>, _ builder: inout DocumentBuilder) throws(Unreadable) -> Range<Int>? {
        if let problem = source.strangeSpaceAfterColon(in: place) { throw Unreadable(problem) }
        if let problem = source.strangeSpaceProblem(at: place.lowerBound), let spaces = problem.place?.bytes {
            // In the indentation the character hides the structure; before a value it can be skipped.
            let isIndentation = YAMLLine(holding: place.lowerBound, of: source).content.lowerBound == place.lowerBound
            guard !isIndentation, spaces.upperBound < place.upperBound else { throw Unreadable(problem) }
            builder.report(problem)
            return spaces.upperBound..<place.upperBound
        }
        guard let quotes = source.typographicQuotes(around: place) else { return nil }
        guard let inside = quotes.inside else { throw Unreadable(quotes.problem) }
        builder.report(quotes.problem)
        return inside
    }
}

// MARK: Quotes

extension SourceFile {
    /// Whether one of ‘ ’ ‚ ‛ “ ” „ ‟ is at an offset; each has three bytes.
    func isTypographicQuote(at offset: Int) -> Bool {
        offset >= 0 && offset + 2 < bytes.count && bytes[offset] == 0xe2 && bytes[offset + 1] == 0x80
            && (0x98...0x9f).contains(bytes[offset + 2])
    }

    /// Finds typographic quotes at the start of a scalar, and the text between them if they enclose it.
    ///
    /// Text after the closing quote may be intended.
    func typographicQuotes(around place: Range<Int>) -> (problem: Diagnostic, inside: Range<Int>?)? {
        guard place.count >= 3, isTypographicQuote(at: place.lowerBound) else { return nil }
        let closing = (place.lowerBound + 3..<max(place.lowerBound + 3, place.upperBound)).filter {
            isTypographicQuote(at: $0)
        }
        let problem = Diagnostic(
            .yamlSyntax,
            "YAML needs straight quotes: typographic ones are part of the text",
            at: SourceRange(self, place)
        )
        .helped(by: #"write " or '; to keep the typographic quotes, put straight ones around them"#)
        guard let last = closing.last else { return (problem, nil) }
        guard last + 3 == place.upperBound else { return nil }
        let inside = place.lowerBound + 3..<last
        let text = bytes[inside]
        let isCertain = closing.count == 1 && !text.contains { $0 < 0x20 || "\"\\".utf8.contains($0) }
        let straight = "\"" + String(decoding: text, as: UTF8.self) + "\""
        let fix = Fix.replace(SourceRange(self, place), with: straight, "write straight quotes")
        return (problem.fixed(by: isCertain ? fix : nil), inside)
    }
}

// MARK: Spaces

extension SourceFile {
    /// A character that looks like a space and is text in YAML.
    func strangeSpace(at offset: Int) -> (name: String, width: Int)? {
        let three = bytes[min(offset, bytes.count)..<min(offset + 3, bytes.count)]
        guard let first = three.first, first >= 0xc2,
            let scalar = String(decoding: three, as: UTF8.self).unicodeScalars.first
        else {
            return nil
        }
        switch scalar.value {
        case 0xa0: return ("a no-break space (U+00A0)", 2)
        case 0x202f: return ("a no-break space (U+202F)", 3)
        case 0x200b: return ("a space of no width (U+200B)", 3)
        case 0x2000...0x200a, 0x205f, 0x3000: return ("a special space (U+\(String(scalar.value, radix: 16)))", 3)
        default: return nil
        }
    }

    /// The problem of such characters, with a fix that replaces them by spaces.
    func strangeSpaceProblem(at start: Int) -> Diagnostic? {
        guard let (name, width) = strangeSpace(at: start) else { return nil }
        var (end, count) = (start + width, 1)
        while let next = strangeSpace(at: end) { (end, count) = (end + next.width, count + 1) }
        let fix = Fix.replace(
            SourceRange(self, start..<end),
            with: String(repeating: " ", count: count),
            "write plain spaces"
        )
        return Diagnostic(.yamlSyntax, "\(name) is text in YAML, not a space", at: SourceRange(self, start..<end))
            .labelled("it looks like a space")
            .helped(by: "write a plain space; word processors and web pages insert others")
            .fixed(by: fix)
    }

    /// `key:` followed by such a character, at the start of a scalar.
    func strangeSpaceAfterColon(in place: Range<Int>) -> Diagnostic? {
        let word = bytes[place].prefix {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        guard !word.isEmpty, word.endIndex < place.upperBound, bytes[word.endIndex] == UInt8(ascii: ":") else {
            return nil
        }
        return strangeSpaceProblem(at: word.endIndex + 1)
    }
}

extension YAMLLine {
    /// A line that is indented by characters other than spaces.
    var strangeIndentation: Diagnostic? { source.strangeSpaceProblem(at: content.lowerBound) }
}

// MARK: Line breaks

extension SourceFile {
    /// The first character that is a line break in YAML 1.1, and so for libyaml, and text in YAML 1.2: NEL, LS or PS.
    var foreignLineBreak: Diagnostic? {
        guard let start = startOfForeignLineBreak else { return nil }
        let (name, escape, width) =
            switch (bytes[start], bytes.dropFirst(start + 2).first) {
            case (0xe2, 0xa8): ("2028", "\\u2028", 3)
            case (0xe2, _): ("2029", "\\u2029", 3)
            default: ("0085", "\\x85", 2)
            }
        return Diagnostic(
            .controlCharacter,
            "U+\(name) is text for some YAML parsers and a line break for others",
            at: SourceRange(self, start..<start + width)
        )
        .labelled("invisible in most editors")
        .helped(by: "remove it, or write it as an escape in double quotes: \"\(escape)\"")
    }

    private var startOfForeignLineBreak: Int? {
        Self.firstForeignLineBreak(in: bytes)
    }

    private static func firstForeignLineBreak(in text: [UInt8]) -> Int? {
        let bytes = text.span
        var index = 0
        while index + 1 < bytes.count {
            if bytes[index] == 0xc2, bytes[index + 1] == 0x85 { return index }
            if bytes[index] == 0xe2, bytes[index + 1] == 0x80, index + 2 < bytes.count, bytes[index + 2] & 0xfe == 0xa8
            {
                return index
            }
            index += 1
        }
        return nil
    }
}

// MARK: Comments

extension SourceFile {
    /// `name: #1 Tasks`, whose value is empty, since the rest is a comment.
    func commentInPlaceOfValue(at offset: Int) -> Diagnostic? {
        let mark = bytes[offset...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard mark.startIndex > offset, mark.first == UInt8(ascii: "#"), let next = mark.dropFirst().first,
            next > UInt8(ascii: " "), next != UInt8(ascii: "#")
        else { return nil }
        let end = mark.firstIndex { $0 == 0x0a || $0 == 0x0d } ?? bytes.endIndex
        return Diagnostic(
            .yamlSyntax,
            "a '#' after a space begins a comment, so the key has no value",
            at: SourceRange(self, mark.startIndex..<end)
        )
        .labelled("a comment in YAML")
        .helped(by: "put the value in quotes; a comment has a space after '#'")
    }
}

// MARK: Signs

extension SourceFile {
    /// `key = value` at the start of a line.
    func equalsSign(at offset: Int) -> Diagnostic? {
        let line = YAMLLine(holding: offset, of: self)
        guard line.start == offset, let equals = line.equals, bytes[equals.sign - 1] == UInt8(ascii: " ") else {
            return nil
        }
        return line.equalsProblem
    }

    /// A mark of an unfinished merge of a version control system.
    func mergeMark(at offset: Int) -> Diagnostic? {
        guard let mark = bytes[offset...].first, "<>=|".utf8.contains(mark), bytes[offset...].prefix(7).count == 7,
            bytes[offset..<offset + 7].allSatisfy({ $0 == mark }),
            offset + 7 == bytes.count || " \r\n".utf8.contains(bytes[offset + 7])
        else { return nil }
        return Diagnostic(
            .yamlSyntax,
            "the file has an unfinished merge",
            at: SourceRange(self, offset..<offset + 7)
        )
        .labelled("one of its markers")
        .helped(by: "choose one of the two versions, and remove the lines '<<<<<<<', '=======' and '>>>>>>>'")
    }
}

extension YAMLLine {
    /// The problem of `key = value`.
    var equalsProblem: Diagnostic? {
        guard let equals else { return nil }
        let value = source.bytes[equals.around.upperBound..<content.upperBound]
        let isCertain =
            value.first.map { !"\"'{[&*!|>%@`#-?,".utf8.contains($0) } ?? false
            && !value.contains { ":#".utf8.contains($0) }
        return Diagnostic(
            .yamlSyntax,
            "a key is followed by a colon, not by '='",
            at: SourceRange(source, equals.sign..<equals.sign + 1)
        )
        .labelled("write ': '")
        .helped(by: "a text that contains ' = ' needs quotes")
        .fixed(by: isCertain ? .replace(SourceRange(source, equals.around), with: ": ", "write a colon") : nil)
    }
}
