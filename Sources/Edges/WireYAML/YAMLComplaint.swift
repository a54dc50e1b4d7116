import WireBase
import WireConfig

/// What libyaml says when it stops, told as a person would: the rule, the place that matters, what to write.
struct YAMLComplaint {
    let problem: String
    let context: String?
    let place: Int
    let contextPlace: Int
    let source: SourceFile

    var diagnostic: Diagnostic {
        if let tab = tabInIndentation { return tab }
        if let template = templateWithoutQuotes { return template }
        switch problem {
        case "mapping values are not allowed in this context":
            return colonInsideValue
        case "found character that cannot start any token":
            return reservedCharacter
        case "found unexpected end of stream":
            return at(contextPlace, "the text in quotes is never closed", "opened here")
                .helped(by: "write the closing quote")
        case "could not find expected ':'":
            return at(contextPlace, "a key is followed by a colon and a space", "this line has no ': '")
                .helped(by: missingSpaceHelp(at: contextPlace) ?? "write 'key: value', or indent the line to go on with the value above")
        case "did not find expected ',' or ']'":
            return at(contextPlace, "a list in brackets is never closed, or a comma is missing", "opened here")
                .related(range(place), "this was not expected")
        case "did not find expected ',' or '}'":
            return at(contextPlace, "a mapping in braces is never closed, or a comma is missing", "opened here")
                .related(range(place), "this was not expected")
        case "did not find expected key":
            return at(place, "this line is not part of the mapping it stands in", "its indentation or its quotes fit nothing above")
                .related(range(contextPlace), "the mapping begins here")
                .helped(by: "give all keys of a mapping the same indentation; put a value with quotes inside it into quotes as a whole")
        case "did not find expected '-' indicator":
            return at(place, "this line is not an item of the list it stands in", "a '- ' is expected here")
                .related(range(contextPlace), "the list begins here")
        case "block sequence entries are not allowed in this context":
            return at(place, "a list may not begin here", "move it to the next line")
        case "did not find expected node content":
            return at(place, "a value is expected here", "this cannot be one")
        case "did not find expected <document start>":
            return at(place, "the document has ended before this line", "its indentation fits nothing above")
        case "found unknown escape character":
            return at(place, "this escape is not one of YAML's", #"write '\\' for a backslash, or use single quotes"#)
        default:
            return at(place, "not well-formed YAML: \(problem)", "")
        }
    }

    private func at(_ offset: Int, _ message: String, _ label: String) -> Diagnostic {
        Diagnostic(.yamlSyntax, message, at: range(offset)).labelled(label)
    }

    private func range(_ offset: Int) -> SourceRange {
        let start = min(offset, source.bytes.count)
        return SourceRange(source, start..<min(start + 1, source.bytes.count))
    }

    /// The bytes of the line that holds an offset.
    private func line(of offset: Int) -> Range<Int> {
        source.lineIndex.content(ofLine: source.lineIndex.line(of: min(offset, source.bytes.count)), in: source.bytes)
    }

    private var tabInIndentation: Diagnostic? {
        for offset in [place, contextPlace] {
            let line = line(of: offset)
            let indentation = source.bytes[line].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard let tab = indentation.firstIndex(of: UInt8(ascii: "\t")) else { continue }
            return Diagnostic(.yamlSyntax, "indentation is made of spaces, not tabs", at: SourceRange(source, tab..<tab + 1))
                .labelled("a tab")
                .helped(by: "replace the tabs of this line by spaces")
        }
        return nil
    }

    /// `title: {{ name }} has news` begins with a brace, so YAML expects a mapping.
    private var templateWithoutQuotes: Diagnostic? {
        for offset in [contextPlace, place] {
            let line = line(of: offset)
            guard let colon = firstColon(in: line), let start = source.bytes[colon + 1..<line.upperBound].firstIndex(where: { $0 != UInt8(ascii: " ") }),
                source.bytes[start...].starts(with: "{{".utf8)
            else { continue }
            let value = start..<trimmedEnd(of: line)
            let text = String(decoding: source.bytes[value], as: UTF8.self)
            let quote = text.contains("\"") ? "'" : "\""
            let isCertain = !text.contains(quote) && !text.contains(" #")
            return Diagnostic(.yamlSyntax, "a value that begins with a template is put in quotes", at: SourceRange(source, value))
                .helped(by: "YAML reads '{' at the beginning of a value as a mapping")
                .fixed(by: isCertain ? .replace(SourceRange(source, value), with: quote + text + quote, "put the value in quotes") : nil)
        }
        return nil
    }

    private func trimmedEnd(of line: Range<Int>) -> Int {
        var end = line.upperBound
        while end > line.lowerBound, source.bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
        return end
    }

    /// `title: Warning: hot` reads as a key inside a value; the value wants quotes.
    private var colonInsideValue: Diagnostic {
        let line = line(of: place)
        let diagnostic = at(place, "a value that holds ': ' is put in quotes", "a second ': ' on this line")
        guard let colon = firstColon(in: line), colon < place, let value = plainValue(after: colon, in: line) else {
            return diagnostic.helped(by: "give all keys of a mapping the same indentation, or put the value in quotes")
        }
        let text = String(decoding: source.bytes[value], as: UTF8.self)
        let quoted = "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        return diagnostic
            .helped(by: "put everything after the first ': ' in quotes")
            .fixed(by: .replace(SourceRange(source, value), with: quoted, "put the value in quotes"))
    }

    /// `@name`, a backtick or `%` at the start of a value are reserved by YAML; the value wants quotes.
    private var reservedCharacter: Diagnostic {
        let line = line(of: place)
        let character = place < source.bytes.count ? String(UnicodeScalar(source.bytes[place])) : ""
        let diagnostic = at(place, "a value may not begin with \(character.quoted)", "reserved by YAML")
            .helped(by: "put the value in quotes")
        guard let value = plainValue(from: place, in: line), let colon = firstColon(in: line), colon < place else {
            return diagnostic
        }
        let text = String(decoding: source.bytes[value], as: UTF8.self)
        let quoted = "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        return diagnostic.fixed(by: .replace(SourceRange(source, value), with: quoted, "put the value in quotes"))
    }

    /// `key:value` is one word to YAML.
    private func missingSpaceHelp(at offset: Int) -> String? {
        let line = line(of: offset)
        guard let colon = source.bytes[line].firstIndex(of: UInt8(ascii: ":")), colon + 1 < line.upperBound,
            source.bytes[colon + 1] != UInt8(ascii: " ")
        else { return nil }
        return "write a space after the colon"
    }

    private func firstColon(in line: Range<Int>) -> Int? {
        line.first { offset in
            source.bytes[offset] == UInt8(ascii: ":") && offset + 1 < line.upperBound
                && source.bytes[offset + 1] == UInt8(ascii: " ")
        }
    }

    private func plainValue(after colon: Int, in line: Range<Int>) -> Range<Int>? {
        let start = source.bytes[colon + 1..<line.upperBound].firstIndex { $0 != UInt8(ascii: " ") }
        return start.flatMap { plainValue(from: $0, in: line) }
    }

    /// A value up to the end of its line, unless quotes, brackets or a comment make its end uncertain.
    private func plainValue(from start: Int, in line: Range<Int>) -> Range<Int>? {
        let end = max(start, trimmedEnd(of: line))
        let value = source.bytes[start..<end]
        guard let first = value.first, !"\"'{[&*|>".utf8.contains(first), !value.contains(UInt8(ascii: "#")),
            !source.bytes[line].contains(UInt8(ascii: "{")) || first != UInt8(ascii: "@")
        else { return nil }
        return start..<end
    }
}
