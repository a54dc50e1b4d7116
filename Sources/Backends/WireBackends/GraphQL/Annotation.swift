import WireBase
import WireGraphQL

/// An annotation of DataSync's models: a line of a description such as `@datasync(ttl: 5184000)`, or a directive.
struct Annotation {
    let name: String
    let arguments: [Syntax.Argument]
    let place: SourceRange

    /// Returns the annotations of a definition; lines that are not valid ones belong to the description.
    static func all(_ description: Syntax.Description?, _ directives: [Syntax.Directive]) -> [Annotation] {
        let marked = description.map { lines(of: $0.text).filter(isAnnotation) } ?? []
        let described = marked.flatMap { line -> [Annotation] in
            // DataSync's documentation uses single quotes.
            let text = "scalar Marked " + line.replacing("'", with: "\"")
            let source = SourceFile(name: "annotation", bytes: Array(text.utf8), isFile: false)
            guard let document = try? Parser.document(source, limits: .request), let place = description?.place,
                case .type(let type)? = document.definitions.first
            else { return [] }
            return type.directives.map { Annotation(name: $0.name.text, arguments: $0.arguments, place: place) }
        }
        return described + directives.map { Annotation(name: $0.name.text, arguments: $0.arguments, place: $0.place) }
    }

    /// Returns a description without annotations; nil where there is nothing else.
    static func prose(of description: Syntax.Description?) -> String? {
        guard let description else { return nil }
        let lines = lines(of: description.text).filter { !isAnnotation($0) }
        guard let first = lines.firstIndex(where: { !$0.isEmpty }), let last = lines.lastIndex(where: { !$0.isEmpty })
        else { return nil }
        return lines[first...last].joined(separator: "\n")
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func isAnnotation(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " || $0 == "\t" }
        return text.first == "@" && text.dropFirst().first?.isLetter == true
    }

    func text(_ argument: String) -> String? {
        switch value(argument) {
        case .string(let text)?, .enumeration(let text)?: text
        default: nil
        }
    }

    func integer(_ argument: String) -> Int? {
        if case .int(let text)? = value(argument) { Int(text) } else { nil }
    }

    private func value(_ argument: String) -> Syntax.Value.Kind? {
        arguments.first { $0.name.text == argument }?.value.kind
    }
}

extension [Annotation] {
    subscript(name: String) -> Annotation? { first { $0.name == name } }
}
