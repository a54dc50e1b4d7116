import WireBase
import WireConfig

/// Forms of YAML that services files do not use, or that libyaml cannot read.
extension YAMLDiagnostic {
    /// `%YAML 1.2`, `%TAG`, and any line that begins with `%`.
    var directive: Diagnostic? {
        let isDirective =
            context.hasSuffix("directive") || problem == "found incompatible YAML document"
            || problem == "found duplicate %YAML directive" || problem == "found duplicate %TAG directive"
        let places = isDirective ? [contextPlace, place] : [place]
        for offset in places where line(of: offset).bytes.first == UInt8(ascii: "%") {
            return directive(at: line(of: offset).start)
        }
        return nil
    }

    private func directive(at offset: Int) -> Diagnostic {
        at(offset, "a line that begins with '%' is a YAML directive", "not needed in a services file")
            .helped(by: "remove it, or put the text in quotes")
    }

    /// Text after the end of a document, or before its start.
    var outsideDocument: Diagnostic {
        if let problem = textAfterQuotes ?? strayBracket { return problem }
        let line = line(of: place)
        if let above = line.above, above.isDocumentEnd {
            return Diagnostic(.severalDocuments, "a services file is one document", at: range(place))
                .labelled("a second document begins here")
                .related(range(above.start), "the first document ends here")
                .helped(by: "remove the line '...', or the text below it")
        }
        if let above = line.above, above.bytes.first == UInt8(ascii: "%") { return directive(at: above.start) }
        return at(place, "the document ends before this line", "its indentation matches no line above")
    }

    /// An invalid value.
    var noValue: Diagnostic {
        if let problem = colonAtTheBeginning { return problem }
        if line(of: place).isDocumentEnd {
            return at(place, "'...' ends a document, but no document has begun", "remove this line")
        }
        switch byte(at: place) {
        case UInt8(ascii: "?"):
            return at(place, "in brackets and braces, a text that begins with '?' needs quotes", "put it in quotes")
        case UInt8(ascii: "-"):
            return at(place, "items of a list in brackets have no '-' before them", "remove it")
        default:
            return at(place, "a value is expected here", "not a value")
        }
    }

    /// `[::1]`, `{ a: :b }`: text that begins with a colon.
    private var colonAtTheBeginning: Diagnostic? {
        guard byte(at: place) == UInt8(ascii: ":") else { return nil }
        let text = source.bytes[place...].prefix { $0 > 0x20 && !",[]{}'\"".utf8.contains($0) }
        guard text.count > 1 else { return keyMissing(at: place) }
        let value = SourceRange(source, text.startIndex..<text.endIndex)
        let quoted = "\"" + String(decoding: text, as: UTF8.self) + "\""
        let isCertain = !text.contains(UInt8(ascii: "\\")) && text.last != UInt8(ascii: ":")
        return Diagnostic(
            .yamlSyntax,
            "in brackets and braces, a text that begins with ':' needs quotes",
            at: value
        )
        .labelled("put it in quotes")
        .fixed(by: isCertain ? .replace(value, with: quoted, "put it in quotes") : nil)
    }

    /// `: value` without a key.
    var missingKey: Diagnostic? {
        guard byte(at: place) == UInt8(ascii: ":"), byte(at: place + 1).map({ $0 <= 0x20 }) ?? true else { return nil }
        return line(of: place).start == place ? keyMissing(at: place) : nil
    }

    private func keyMissing(at offset: Int) -> Diagnostic {
        at(offset, "a key must precede ':'", "the key is missing")
            .helped(by: "write 'key: value', or put a text that begins with ':' in quotes")
    }

    /// `{a:[1]}`, `{a:, b: 1}`: a colon followed by a bracket or comma.
    var colonBeforeBracket: Diagnostic {
        let colon = at(place, "a key is followed by a colon and a space", "the space is missing")
        switch byte(at: place + 1) {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            return colon.fixed(by: .replace(range(place), with: ": ", "write a space after the colon"))
        default:
            return colon.helped(by: "a text that ends with ':' needs quotes; a key without a value has 'null'")
        }
    }

    /// `{ key` on one line and `: value }` on the next.
    var colonOfAnotherLine: Diagnostic? {
        let line = line(of: place)
        guard byte(at: place) == UInt8(ascii: ":"), place == line.start, contextPlace < line.start else { return nil }
        return at(place, "a key and its colon must be on one line", "its key is on a line above")
            .helped(by: "write the colon after the key")
    }

    /// `[a: b: c]`, `{a: b: c}`: a second colon in one value.
    var secondColon: Diagnostic? {
        guard byte(at: place) == UInt8(ascii: ":"), byte(at: place + 1).map({ $0 <= 0x20 }) ?? true,
            line(of: place).number == line(of: contextPlace).number
        else { return nil }
        return at(place, "a comma is missing, or a value that contains ': ' is not in quotes", "a second ': ' here")
            .related(range(contextPlace), "opened here")
            .helped(by: "write a comma between two entries, or quotes around the value")
    }

    /// `--- key: value`.
    var mappingBehindDocumentMark: Diagnostic? {
        let line = line(of: place)
        guard line.bytes.starts(with: "--- ".utf8), line.indentation == 0 else { return nil }
        return at(place, "a mapping begins on the line below '---'", "not on the same line")
            .helped(by: "remove '---', which a services file does not need")
    }

    /// A tab where YAML does not accept one as white space.
    var tab: Diagnostic? {
        for offset in [place, contextPlace] where byte(at: offset) == UInt8(ascii: "\t") {
            let line = line(of: offset)
            let before = source.bytes[line.content.lowerBound..<max(line.content.lowerBound, offset)]
            guard before.allSatisfy({ $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
            else { continue }
            return at(offset, "use spaces after the '-' of a list item, not tabs", "a tab")
                .fixed(by: .replace(range(offset), with: " ", "write a space"))
        }
        return nil
    }
}

extension YAMLLine {
    /// `...`, which ends a document.
    fileprivate var isDocumentEnd: Bool {
        indentation == 0 && bytes.starts(with: "...".utf8) && (bytes.count == 3 || bytes[bytes.startIndex + 3] <= 0x20)
    }
}
