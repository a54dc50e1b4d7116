import WireBase
import WireConfig

/// Lines that do not fit the lines above them, and collections without an end.
extension YAMLDiagnostic {
    /// A line whose only colon is not permitted: the line above was read as text that continues here.
    var colonOfTheLineAbove: Diagnostic {
        let line = line(of: place)
        guard let above = line.above else { return unfitColon }
        if let problem = missingSpace(in: above) ?? above.equalsProblem { return problem }
        if above.colon == nil, !above.isItem { return noColon(in: above) }
        return unfitIndentation ?? unfitColon
    }

    /// A key indented more than the one above although that has a value, or by one space too many or too few.
    private var unfitIndentation: Diagnostic? {
        let line = line(of: place)
        guard place == line.start || place == line.colon, line.colon != nil, let above = line.above,
            let value = above.value,
            !"{[|>&!".utf8.contains(source.bytes[value.lowerBound])
        else { return nil }
        if above.colon != nil, abs(line.startColumn - above.startColumn) == 1 { return oneSpaceOff(line, above) }
        guard line.startColumn > above.startColumn || above.colon == nil else { return nil }
        return Diagnostic(
            .yamlSyntax,
            "a key has one value, and this one has text and keys below it",
            at: SourceRange(source, value)
        )
        .labelled("this is already its value")
        .related(SourceRange(source, line.start..<(line.colon ?? place)), "so this key cannot be below it")
        .helped(by: "remove the text, or give this key the indentation of the line above")
    }

    private var unfitColon: Diagnostic {
        at(place, "a key is not allowed here", "this ': ' is not expected")
            .helped(by: "give all keys of a mapping the same indentation, or put a value that contains ': ' in quotes")
    }

    private func oneSpaceOff(_ line: YAMLLine, _ above: YAMLLine) -> Diagnostic {
        let isDeeper = line.startColumn > above.startColumn
        let first = line.content.lowerBound - line.indentation..<line.content.lowerBound - line.indentation + 1
        // If keys are indented by one, or lines below share the space, the intention is unclear.
        let isCertain =
            isDeeper && above.startColumn != 1 && !line.isItem
            && line.below.map { $0.indentation < line.indentation } ?? true
        let message = "this key is indented by one space \(isDeeper ? "more" : "less") than the one above it"
        return at(line.start, message, isDeeper ? "remove one space" : "a space is missing")
            .related(range(above.start), "the key above begins here")
            .helped(by: "give all keys of a mapping the same indentation")
            .fixed(by: isCertain ? .replace(SourceRange(source, first), with: "", "remove one space") : nil)
    }

    /// A line that begins like a key and has no colon.
    var missingColon: Diagnostic {
        let line = line(of: contextPlace)
        return missingSpace(in: line) ?? line.equalsProblem ?? noColon(in: line)
    }

    private func noColon(in line: YAMLLine) -> Diagnostic {
        if let dash = line.tightDash {
            return at(dash, "a list item begins with '- '", "the space is missing")
                .fixed(by: .replace(range(dash), with: "- ", "write a space after the dash"))
        }
        return noColonOrDash(in: line)
    }

    private func noColonOrDash(in line: YAMLLine) -> Diagnostic {
        if line.bytes.starts(with: "//".utf8) {
            return at(line.start, "a comment begins with '#'", "this is not a comment")
                .fixed(by: .replace(SourceRange(source, line.start..<line.start + 2), with: "#", "write '#'"))
        }
        if !line.isItem, let above = line.above, above.isItem, above.indentation == line.indentation {
            return at(line.start, "a list item begins with '- '", "this line has none")
                .related(range(above.content.lowerBound), "an item begins here")
        }
        return at(line.start, "a key is followed by a colon and a space", "this line has no ': '")
            .helped(by: "write 'key: value', or indent the line to continue the value above")
    }

    /// YAML reads `key:value` as one word.
    private func missingSpace(in line: YAMLLine) -> Diagnostic? {
        guard let colon = line.tightColon else { return nil }
        return at(colon, "a key is followed by a colon and a space", "the space is missing")
            .helped(by: "write a space after the colon")
            .fixed(by: .replace(SourceRange(source, colon..<colon + 1), with: ": ", "write a space after the colon"))
    }

    /// A line in a mapping that is not one of its keys.
    var lineOutsideMapping: Diagnostic {
        if let problem = textAfterQuotes ?? strayBracket ?? blockTextNotIndented ?? unfitIndentation { return problem }
        let line = line(of: place)
        if line.isItem, line.content.lowerBound == place, line.colon != nil {
            return at(place, "a list item cannot be among the keys of a mapping", "remove the '- '")
                .related(range(contextPlace), "the mapping begins here")
        }
        return at(
            place,
            "this line does not belong to the mapping around it",
            "check its indentation and quotes"
        )
        .related(range(contextPlace), "the mapping begins here")
        .helped(
            by:
                "give all keys of a mapping the same indentation; put a value with quotes inside it into quotes as a whole"
        )
    }

    /// A line in a list that is not one of its items.
    var lineOutsideList: Diagnostic {
        if let problem = textAfterQuotes ?? strayBracket ?? blockTextNotIndented ?? unfitIndentation { return problem }
        return at(place, "this line is not an item of the list around it", "a '- ' is expected here")
            .related(range(contextPlace), "the list begins here")
    }

    /// A closing bracket without an opening one.
    var strayBracket: Diagnostic? {
        guard let byte = byte(at: place), "]}".utf8.contains(byte) else { return nil }
        return at(place, "unmatched closing bracket", "remove it")
    }

    /// `key: |` whose text is not indented more than the key.
    private var blockTextNotIndented: Diagnostic? {
        let line = line(of: place)
        guard place == line.content.lowerBound, line.colon == nil, let above = line.above, let value = above.value,
            "|>".utf8.contains(source.bytes[value.lowerBound])
        else { return nil }
        let sign = String(UnicodeScalar(source.bytes[value.lowerBound])).quoted
        return at(place, "the text below \(sign) must be indented more than its key", "this is not")
            .related(range(value.lowerBound), "declared here")
    }

    /// Brackets or braces without an end.
    var unclosedCollection: Diagnostic {
        if let problem = textAfterQuotes { return problem }
        let kind = problem.hasSuffix("']'") ? "a list in brackets" : "a mapping in braces"
        return at(contextPlace, "\(kind) is never closed, or a comma is missing", "opened here")
            .related(range(place), "this was not expected")
    }
}
