import WireBase
import WireConfig

/// Lines that do not fit the lines above them, and collections without an end.
extension YAMLComplaint {
    /// A line whose only colon may not be there: the line above was read as text that goes on here.
    var colonOfTheLineAbove: Diagnostic {
        let line = line(of: place)
        guard let above = line.above else { return unfitColon }
        if let problem = missingSpace(in: above) ?? above.equalsProblem { return problem }
        guard let value = above.value, line.indentation > above.startColumn || above.colon == nil else {
            return above.colon == nil && !above.isItem ? noColon(in: above) : unfitColon
        }
        if above.colon != nil, line.startColumn == above.startColumn + 1 { return oneSpaceOff(line, above) }
        return Diagnostic(
            .yamlSyntax,
            "a key has one value, and this one has text and keys below it",
            at: SourceRange(source, value)
        )
        .labelled("this is its value already")
        .related(SourceRange(source, line.start..<place), "so this key cannot stand below it")
        .helped(by: "remove the text, or give this key the indentation of the line above")
    }

    private var unfitColon: Diagnostic {
        at(place, "a key may not stand here", "this ': ' is not expected")
            .helped(by: "give all keys of a mapping the same indentation, or put a value that holds ': ' in quotes")
    }

    private func oneSpaceOff(_ line: YAMLLine, _ above: YAMLLine) -> Diagnostic {
        let first = line.content.lowerBound - line.indentation..<line.content.lowerBound - line.indentation + 1
        // With keys indented by one, or lines below that share the space, something else may be meant.
        let isCertain =
            above.startColumn != 1 && !line.isItem && line.below.map { $0.indentation < line.indentation } ?? true
        return at(line.start, "this key is indented by one space more than the one above it", "remove one space")
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
        at(line.start, "a key is followed by a colon and a space", "this line has no ': '")
            .helped(by: "write 'key: value', or indent the line to go on with the value above")
    }

    /// `key:value` is one word to YAML.
    private func missingSpace(in line: YAMLLine) -> Diagnostic? {
        guard let colon = line.tightColon else { return nil }
        return at(colon, "a key is followed by a colon and a space", "the space is missing")
            .helped(by: "write a space after the colon")
            .fixed(by: .replace(SourceRange(source, colon..<colon + 1), with: ": ", "write a space after the colon"))
    }

    /// A line in a mapping that is none of its keys.
    var lineOutsideMapping: Diagnostic {
        if let problem = textAfterQuotes { return problem }
        return at(
            place,
            "this line is not part of the mapping it stands in",
            "its indentation or its quotes fit nothing above"
        )
        .related(range(contextPlace), "the mapping begins here")
        .helped(
            by:
                "give all keys of a mapping the same indentation; put a value with quotes inside it into quotes as a whole"
        )
    }

    /// A line in a list that is none of its items.
    var lineOutsideList: Diagnostic {
        if let problem = textAfterQuotes { return problem }
        return at(place, "this line is not an item of the list it stands in", "a '- ' is expected here")
            .related(range(contextPlace), "the list begins here")
    }

    /// Brackets or braces without their end.
    var unclosedCollection: Diagnostic {
        if let problem = textAfterQuotes { return problem }
        let kind = problem.hasSuffix("']'") ? "a list in brackets" : "a mapping in braces"
        return at(contextPlace, "\(kind) is never closed, or a comma is missing", "opened here")
            .related(range(place), "this was not expected")
    }
}
