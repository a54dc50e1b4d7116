import WireBase
import WireConfig

/// Explains the errors of libyaml: the rule, the relevant place, the correction.
///
/// libyaml reports where it stopped, while the mistake is often before that. So the surrounding lines are examined
/// first, and libyaml's error is used where nothing was found.
struct YAMLDiagnostic: Error {
    let problem: String
    let context: String
    let place: Int
    let contextPlace: Int
    let source: SourceFile
    /// The last scalar.
    var lastScalar = 0..<0

    var diagnostic: Diagnostic {
        mergeConflict ?? tabInIndentation ?? tab ?? strangeSpaces ?? referenceWithoutQuotes ?? templateWithoutQuotes
            ?? typographicQuotes ?? directive ?? byProblem
    }

    private var byProblem: Diagnostic {
        switch problem {
        case "mapping values are not allowed in this context": mappingBehindDocumentMark ?? unexpectedColon
        case "could not find expected ':'": missingColon
        case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
            colonOfAnotherLine ?? secondColon ?? unclosedCollection
        case "did not find expected key": missingKey ?? lineOutsideMapping
        case "did not find expected '-' indicator": lineOutsideList
        case "did not find expected <document start>": outsideDocument
        case "did not find expected node content": noValue
        case "found unexpected ':'": colonBeforeBracket
        case "block sequence entries are not allowed in this context":
            at(place, "a list may not begin here", "move it to the next line")
        default:
            byContext
        }
    }

    private var byContext: Diagnostic {
        switch (context, problem) {
        case ("while scanning an alias", _), ("while scanning an anchor", _), ("while scanning a tag", _),
            ("while parsing a tag", _),
            ("while scanning a block scalar", "did not find expected comment or line break"):
            indicator(at: contextPlace)
        case ("while scanning a quoted scalar", "found unexpected end of stream"),
            ("while scanning a quoted scalar", "found unexpected document indicator"):
            at(contextPlace, "the string is not closed", "opened here")
                .helped(by: "write the closing quote")
        case (_, "found character that cannot start any token"), (_, "mapping keys are not allowed in this context"):
            reservedCharacter(at: place)
        case (_, "found unknown escape character"):
            at(place, "YAML does not have this escape", #"write '\\' for a backslash, or use single quotes"#)
        case (_, "did not find expected hexdecimal number"), (_, "found invalid Unicode character escape code"):
            at(place, "this escape is not a character", #"'\x', '\u' and '\U' take 2, 4 and 8 hexadecimal digits"#)
        default:
            at(place, "not well-formed YAML: \(problem)", "")
        }
    }

    func at(_ offset: Int, _ message: String, _ label: String) -> Diagnostic {
        Diagnostic(.yamlSyntax, message, at: range(offset)).labelled(label)
    }

    func range(_ offset: Int) -> SourceRange {
        let start = min(offset, source.bytes.count)
        return SourceRange(source, start..<min(start + 1, source.bytes.count))
    }

    /// Returns the line of an offset.
    func line(of offset: Int) -> YAMLLine { YAMLLine(holding: offset, of: source) }

    func byte(at offset: Int) -> UInt8? { source.bytes.indices.contains(offset) ? source.bytes[offset] : nil }

    // MARK: Checks before libyaml's error

    private var mergeConflict: Diagnostic? {
        let last = source.lineIndex.line(of: min(max(place, contextPlace), source.bytes.count))
        return (1...last).lazy.map { source.lineIndex.start(ofLine: $0) }
            .filter { byte(at: $0).map { "<>".utf8.contains($0) } ?? false }
            .compactMap { source.mergeMark(at: $0) }.first
    }

    private var tabInIndentation: Diagnostic? {
        for offset in [place, contextPlace] {
            let line = line(of: offset)
            let indentation = line.bytes.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard let tab = indentation.firstIndex(of: UInt8(ascii: "\t")) else { continue }
            return at(tab, "indent with spaces, not tabs", "a tab")
                .helped(by: "replace the tabs of this line by spaces")
        }
        return nil
    }

    private var strangeSpaces: Diagnostic? {
        let line = line(of: place)
        return [line.above, line, self.line(of: contextPlace)].lazy.compactMap(\.self)
            .compactMap { $0.strangeIndentation ?? source.strangeSpaceAfterColon(in: $0.start..<$0.content.upperBound) }
            .first
    }
}
