import WireBase

/// What is said about text that people take for JSON, and that is something near it.
extension JSONScanner {
    /// A file named `.json` that does not even begin like JSON.
    var foreignFormat: Diagnostic? {
        guard source.name.lowercased().hasSuffix(".json"), let start = firstOfContent, !beginsLikeJSON(at: start) else {
            return nil
        }
        return Diagnostic(.jsonSyntax, "the file is not JSON", at: SourceRange(source, start..<start + 1))
            .labelled("JSON begins with '{'")
            .helped(by: "a services file in YAML is named '.yaml' or '.yml'")
    }

    /// The first byte that is neither space nor in a YAML comment; none where JSON itself has something to say about it.
    private var firstOfContent: Int? {
        var start = offset
        while start < source.bytes.count {
            switch source.bytes[start] {
            case 0x20, 0x09, 0x0a, 0x0d: start += 1
            case UInt8(ascii: "#"):
                while start < source.bytes.count, source.bytes[start] != 0x0a, source.bytes[start] != 0x0d {
                    start += 1
                }
            default: return start
            }
        }
        return nil
    }

    private func beginsLikeJSON(at start: Int) -> Bool {
        let rest = source.bytes[start...]
        switch source.bytes[start] {
        case UInt8(ascii: "-"):
            return !rest.dropFirst().starts(with: "--".utf8) && rest.dropFirst().first != UInt8(ascii: " ")
        case let first where first.isLetter:
            let word = rest.prefix { isWord($0) }
            let next = source.bytes[word.endIndex...].first { $0 != 0x20 && $0 != 0x09 }
            return next.map { $0 == 0x0a || $0 == 0x0d } ?? true
        case let first:
            return first.isDigit || "{[\"'/+.".utf8.contains(first)
        }
    }

    /// A word that is none of JSON's.
    ///
    /// It stays out of the message: it may be a secret without its quotes.
    func strangeWord(_ place: Range<Int>) -> Diagnostic {
        if let problem = notFinite(from: place.lowerBound) { return problem }
        let range = SourceRange(source, place)
        let meant: String? =
            switch String(decoding: source.bytes[place], as: UTF8.self) {
            case "True", "TRUE": "true"
            case "False", "FALSE": "false"
            case "None", "Null", "NULL": "null"
            default: nil
            }
        guard let meant else {
            return Diagnostic(
                .jsonSyntax,
                "a JSON value is expected here",
                at: SourceRange(source, place.lowerBound..<place.lowerBound + 1)
            )
            .labelled("text is in double quotes")
        }
        return Diagnostic(.jsonSyntax, "JSON's words are 'true', 'false' and 'null'", at: range)
            .labelled("write '\(meant)'")
            .fixed(by: .replace(range, with: meant, "write '\(meant)'"))
    }

    /// `${env:NAME}` without its quotes.
    var bareReference: Diagnostic {
        let word = source.bytes[offset...].prefix { $0 > 0x20 && !",]\"".utf8.contains($0) }
        let end = word.firstIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? word.endIndex
        let text = String(decoding: source.bytes[offset..<end], as: UTF8.self)
        let problem = Diagnostic(
            .jsonSyntax,
            "a reference is text, which JSON has in double quotes",
            at: SourceRange(source, offset..<end)
        )
        guard let parsed = try? ReferringText(parsing: text), !parsed.references.isEmpty else { return problem }
        let quoted = JSONText.quoted(text)
        let isShown = parsed.pieces.count == 1 && !parsed.holdsTextOfItsOwn
        return problem.helped(by: isShown ? "write \(quoted)" : "write double quotes around it" as Advice)
            .fixed(by: .replace(SourceRange(source, offset..<end), with: quoted, "write the quotes"))
    }

    /// What begins as a number does and is none: `0x2`, `1_000`, `30s`, `1.4.0`.
    func notDecimal(from start: Int, digitsTo end: Int) -> Diagnostic? {
        let rest = source.bytes[end...].prefix { $0 > 0x20 && !",]}[{\"".utf8.contains($0) }
        // A comment behind a number has a message of its own.
        guard let first = rest.first, first != UInt8(ascii: "/") else { return nil }
        let range = SourceRange(source, start..<rest.endIndex)
        // What is meant is not repeated, in either case: it may be a secret, which is not shown.
        guard Self.isWhole(source.bytes[start..<rest.endIndex]) else {
            return Diagnostic(.jsonSyntax, "this is not a JSON number, and text is in double quotes", at: range)
                .labelled("write double quotes around it")
        }
        return Diagnostic(.jsonSyntax, "a JSON number has decimal digits, without a base or underscores", at: range)
            .labelled("write it in decimal")
            .helped(by: "0x10 is 16, 0o10 is 8, 0b10 is 2 and 1_000 is 1000")
    }

    /// Whether it is a whole number as programming languages write it.
    private static func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = String(decoding: bytes, as: UTF8.self).drop { $0 == "-" }.filter { $0 != "_" }.lowercased()
        let base = ["0x": 16, "0o": 8, "0b": 2][String(digits.prefix(2))]
        return UInt64(base == nil ? digits : String(digits.dropFirst(2)), radix: base ?? 10) != nil
    }

    /// `NaN` and `Infinity`, with or without a sign.
    func notFinite(from start: Int) -> Diagnostic? {
        let sign = source.bytes[start] == UInt8(ascii: "-") ? 1 : 0
        let word = source.bytes[(start + sign)...].prefix { isWord($0) }
        guard ["NaN", "Infinity"].contains(String(decoding: word, as: UTF8.self)) else { return nil }
        return Diagnostic(
            .jsonSyntax,
            "JSON has neither NaN nor Infinity",
            at: SourceRange(source, start..<word.endIndex)
        )
        .labelled("write a number in digits, or 'null'")
    }

    /// A line break or tab in the text that is read: the text may go on behind it, or its closing quote is missing.
    func unescaped(openedAt start: Int) -> Diagnostic {
        func problem(_ message: String, at offset: Int, _ label: String) -> Diagnostic {
            Diagnostic(.jsonSyntax, message, at: SourceRange(source, offset..<offset + 1)).labelled(label)
        }
        guard byte == 0x0a || byte == 0x0d else {
            return problem("a tab inside text is written as an escape", at: offset, #"write '\t'"#)
        }
        // Where the next line closes a text that it does not open, it is this text.
        guard quotesOnNextLine.isMultiple(of: 2) else {
            return problem("a line break inside text is written as an escape", at: offset, #"write '\n'"#)
        }
        return problem("the text in quotes is never closed on its line", at: start, "opened here")
            .helped(by: #"write the closing quote; a line break inside text is written '\n'"#)
    }

    /// How many quotes without a backslash the line below the offset has.
    private var quotesOnNextLine: Int {
        let index = source.lineIndex
        let number = index.line(of: offset) + 1
        guard number <= index.count else { return 0 }
        let line = source.bytes[index.content(ofLine: number, in: source.bytes)]
        return line.indices.count {
            line[$0] == UInt8(ascii: "\"") && ($0 == line.startIndex || line[$0 - 1] != UInt8(ascii: "\\"))
        }
    }
}
