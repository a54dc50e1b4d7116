import WireBase
import WireConfig

/// Values that need quotes, and values with wrong quotes.
extension YAMLDiagnostic {
    /// `title: {{ name }} has news` begins with a brace, so YAML expects a mapping.
    var templateWithoutQuotes: Diagnostic? {
        guard let start = templateStart else { return nil }
        let line = line(of: start)
        let isValue = line.value?.lowerBound == start
        let end = isValue ? line.content.upperBound : start + 2
        let value = SourceRange(source, start..<end)
        let text = String(decoding: source.bytes[start..<end], as: UTF8.self)
        let quote = text.contains("\"") ? "'" : "\""
        let isCertain =
            isValue && line.isWholeTemplate && !text.contains(quote) && !text.contains(" #") && !text.contains("\\")
        return Diagnostic(.yamlSyntax, "a value that begins with a template needs quotes", at: value)
            .helped(by: "YAML reads '{' at the beginning of a value as a mapping")
            .fixed(by: isCertain ? .replace(value, with: quote + text + quote, "put the value in quotes") : nil)
    }

    /// The `{{` where libyaml stopped.
    private var templateStart: Int? {
        for offset in [contextPlace - 1, contextPlace] where isTemplate(at: offset) { return offset }
        let line = line(of: place)
        return (line.start..<max(line.start, min(place, line.content.upperBound))).last { offset in
            let before = source.bytes[line.start..<offset]
            return isTemplate(at: offset) && !before.contains { "\"'".utf8.contains($0) }
                && before.last { $0 != UInt8(ascii: " ") }.map { ":[,".utf8.contains($0) } ?? true
        }
    }

    private func isTemplate(at offset: Int) -> Bool {
        byte(at: offset) == UInt8(ascii: "{") && byte(at: offset + 1) == UInt8(ascii: "{")
    }

    /// Typographic quotes around a text that needs straight ones in YAML.
    var typographicQuotes: Diagnostic? {
        let line = line(of: place)
        for start in [line.value?.lowerBound, line.start] {
            guard let start, start <= place, source.isTypographicQuote(at: start) else { continue }
            return source.typographicQuotes(around: start..<line.content.upperBound)?.problem
        }
        return nil
    }

    /// `title: Warning: hot` reads as a key inside a value; the value needs quotes.
    var unexpectedColon: Diagnostic {
        let line = line(of: place)
        guard let colon = line.colon, colon < place, let value = line.value else { return colonOfTheLineAbove }
        return at(place, "a value that contains ': ' needs quotes", "a second ': ' on this line")
            .helped(by: "put everything after the first ': ' in quotes")
            .fixed(
                by: "{[&*|>".utf8.contains(source.bytes[value.lowerBound]) ? nil : line.quotes(around: value.lowerBound)
            )
    }

    /// `@name`, a backtick or `%` at the start of a value are reserved by YAML; the value needs quotes.
    func reservedCharacter(at start: Int) -> Diagnostic {
        guard let first = byte(at: start) else { return at(start, "a value is expected here", "") }
        return at(start, "a value may not begin with \(String(UnicodeScalar(first)).quoted)", "reserved by YAML")
            .helped(by: "put the value in quotes")
            .fixed(by: line(of: start).quotes(around: start))
    }

    /// `*.example.com`, `&co`, `!important`, `>5` at the start of a value are YAML syntax.
    func indicator(at start: Int) -> Diagnostic {
        let meaning: String? =
            switch byte(at: start) {
            case UInt8(ascii: "*"): "an alias, a reference to a value with an anchor"
            case UInt8(ascii: "&"): "an anchor, a name that aliases refer to"
            case UInt8(ascii: "!"): "a tag"
            case UInt8(ascii: "|"), UInt8(ascii: ">"): "a text on the lines below"
            default: nil
            }
        guard let meaning, let first = byte(at: start) else { return at(place, "not well-formed YAML: \(problem)", "") }
        let sign = String(UnicodeScalar(first)).quoted
        let isNamed = "&*".utf8.contains(first) && (byte(at: start + 1)?.isOfAnchorName ?? false)
        return at(start, "a value that begins with \(sign) needs quotes", "put the value in quotes")
            .helped(by: "to YAML, \(sign) begins \(meaning)")
            .helped(by: isNamed ? "the name of an anchor has only letters, digits, '-' and '_'" : nil)
            .fixed(by: line(of: start).quotes(around: start))
    }

    /// A closing quote followed by text: a quote inside quotes, or one that belongs to another text.
    var textAfterQuotes: Diagnostic? {
        guard let close = closingQuote else { return nil }
        let quote = source.bytes[close]
        let opening = lastScalar.lowerBound
        if line(of: opening).number != line(of: close).number {
            return at(opening, "the string is not closed on its line", "opened here")
                .related(range(close), "so it is closed here")
                .helped(by: "write the closing quote")
        }
        guard place == close + 1 else {
            return at(place, "unexpected text after the closing quote", "put the whole value in quotes")
                .related(range(opening), "the string begins here")
        }
        let isSingle = quote == UInt8(ascii: "'")
        let rest = source.bytes[place..<line(of: place).content.upperBound]
        let fix = Fix.replace(range(close), with: "''", "write the quote twice")
        return at(close, "a quote inside \(isSingle ? "single" : "double") quotes ends the text", "the text ends here")
            .related(range(opening), "it begins here")
            .helped(by: isSingle ? "write it twice: ''" : #"write it as \""#)
            .fixed(by: isSingle && rest.count { $0 == quote } == 1 ? fix : nil)
    }

    /// The quote that ended the last scalar, if only spaces follow it up to the place.
    private var closingQuote: Int? {
        let close = lastScalar.upperBound - 1
        guard lastScalar.count >= 2, close < place, let quote = byte(at: close), "\"'".utf8.contains(quote),
            source.bytes[lastScalar.lowerBound] == quote,
            source.bytes[close + 1..<min(place, source.bytes.count)].allSatisfy({ $0 == UInt8(ascii: " ") })
        else { return nil }
        return close
    }
}

extension YAMLLine {
    /// Whether the next line does not continue a value that begins with a template.
    fileprivate var isWholeTemplate: Bool { below.map { $0.indentation <= indentation } ?? true }
}
