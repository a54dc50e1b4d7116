import WireBase

/// Diagnostics for text that is almost JSON.
extension JSONScanner {
    /// The problem for a `.json` file that does not begin like JSON.
    var foreignFormat: Diagnostic? {
        guard source.name.lowercased().hasSuffix(".json"), let start = firstOfContent, !beginsLikeJSON(at: start) else {
            return nil
        }
        return Diagnostic(.jsonSyntax, "the file is not JSON", at: SourceRange(source, start..<start + 1))
            .labelled("JSON begins with '{'")
            .helped(by: "a services file in YAML is named '.yaml' or '.yml'")
    }

    /// The first byte that is neither white space nor in a YAML comment; nil where the JSON reader has a better
    /// message.
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

    /// The problem for an unknown word.
    ///
    /// The message does not contain the word, which may be a secret without its quotes.
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
            .labelled("strings need double quotes in JSON")
        }
        return Diagnostic(.jsonSyntax, "the literals of JSON are 'true', 'false' and 'null'", at: range)
            .labelled("write '\(meant)'")
            .fixed(by: .replace(range, with: meant, "write '\(meant)'"))
    }

    /// The problem for `${env:NAME}` without quotes.
    var bareReference: Diagnostic {
        let word = source.bytes[offset...].prefix { $0 > 0x20 && !",]\"".utf8.contains($0) }
        let end = word.firstIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? word.endIndex
        let text = String(decoding: source.bytes[offset..<end], as: UTF8.self)
        let problem = Diagnostic(
            .jsonSyntax,
            "a reference is a string, and strings need double quotes in JSON",
            at: SourceRange(source, offset..<end)
        )
        guard let parsed = try? ReferringText(parsing: text), !parsed.references.isEmpty else { return problem }
        let quoted = JSONText.quoted(text)
        let isShown = parsed.pieces.count == 1 && !parsed.holdsTextOfItsOwn
        return problem.helped(by: isShown ? "write \(quoted)" : "write double quotes around it" as Advice)
            .fixed(by: .replace(SourceRange(source, offset..<end), with: quoted, "write the quotes"))
    }

    /// The problem for a malformed number: `0x2`, `1_000`, `30s`, `1.4.0`.
    func notDecimal(from start: Int, digitsTo end: Int) -> Diagnostic? {
        let rest = source.bytes[end...].prefix { $0 > 0x20 && !",]}[{\"".utf8.contains($0) }
        // A comment after a number has a message of its own.
        guard let first = rest.first, first != UInt8(ascii: "/") else { return nil }
        let range = SourceRange(source, start..<rest.endIndex)
        // The message does not repeat the value, which may be a secret.
        guard Self.isWhole(source.bytes[start..<rest.endIndex]) else {
            return Diagnostic(.jsonSyntax, "this is not a JSON number; strings need double quotes", at: range)
                .labelled("write double quotes around it")
        }
        return Diagnostic(
            .jsonSyntax,
            "a JSON number has decimal digits only, without a base or underscores",
            at: range
        )
        .labelled("write it in decimal")
        .helped(by: "0x10 is 16, 0o10 is 8, 0b10 is 2 and 1_000 is 1000")
    }

    /// Whether it is a whole number in the notation of programming languages.
    private static func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = String(decoding: bytes, as: UTF8.self).drop { $0 == "-" }.filter { $0 != "_" }.lowercased()
        let base = ["0x": 16, "0o": 8, "0b": 2][String(digits.prefix(2))]
        return UInt64(base == nil ? digits : String(digits.dropFirst(2)), radix: base ?? 10) != nil
    }

    /// The problem for `NaN` and `Infinity`, with or without a sign.
    func notFinite(from start: Int) -> Diagnostic? {
        let sign = source.bytes[start] == UInt8(ascii: "-") ? 1 : 0
        let word = source.bytes[(start + sign)...].prefix { isWord($0) }
        guard ["NaN", "Infinity"].contains(String(decoding: word, as: UTF8.self)) else { return nil }
        return Diagnostic(
            .jsonSyntax,
            "NaN and Infinity are not allowed in JSON",
            at: SourceRange(source, start..<word.endIndex)
        )
        .labelled("write a number in digits, or 'null'")
    }

    /// The problem for a line break or tab in a string: unescaped, or after a missing closing quote.
    func unescaped(openedAt start: Int) -> Diagnostic {
        func problem(_ message: String, at offset: Int, _ label: String) -> Diagnostic {
            Diagnostic(.jsonSyntax, message, at: SourceRange(source, offset..<offset + 1)).labelled(label)
        }
        guard byte == 0x0a || byte == 0x0d else {
            return problem("a tab in a string must be written as an escape", at: offset, #"write '\t'"#)
        }
        // Where the next line closes a string that it does not open, the string spans both lines.
        guard quotesOnNextLine.isMultiple(of: 2) else {
            return problem("a line break in a string must be written as an escape", at: offset, #"write '\n'"#)
        }
        return problem("the string is not closed on its line", at: start, "opened here")
            .helped(by: #"write the closing quote; a line break in a string is written '\n'"#)
    }

    /// The number of unescaped quotes on the line below the offset.
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
