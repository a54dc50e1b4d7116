extension JSONValue {
    /// Reads a JSON text strictly, within limits; `name` is the name of the text in messages.
    ///
    /// Numbers with a fraction or an exponent become the nearest Double, or keep their text with `exactNumbers`.
    package init(
        parsing bytes: [UInt8],
        named name: String,
        limits: ReadingLimits = ReadingLimits(),
        exactNumbers: Bool = false
    ) throws(Unreadable) {
        let source = try TextDecoding.accept(bytes, named: name)
        if let value = JSONValueReader.value(of: source, limits, exactNumbers: exactNumbers) {
            self = value
            return
        }
        var builder = DocumentBuilder(source: source, into: Document(), limits: limits)
        try JSONReader.read(&builder, source)
        let result = builder.finish()
        if let problem = result.problems.first(where: { $0.code.severity == .error }) { throw Unreadable(problem) }
        self = result.root.map { JSONValue($0, of: result.document, exactNumbers) } ?? .null
    }

    /// Converts a node.
    package init(_ node: NodeID, of document: Document, _ exactNumbers: Bool = false) {
        switch document.kind(node) {
        case .sequence: self = .array(document.items(node).map { JSONValue($0, of: document, exactNumbers) })
        case .mapping:
            self = .object(
                document.entries(node).map { (document.text($0.key), JSONValue($0.value, of: document, exactNumbers)) }
            )
        case .plain:
            switch CoreScalar(document.bytes(node)) {
            case .null: self = .null
            case .boolean(let value): self = .boolean(value)
            case .integer(let value): self = .integer(value)
            case .number(let value) where value.isFinite && !exactNumbers: self = .number(value)
            case .hugeInteger, .number: self = .decimal(document.text(node))
            case .text: self = .string(document.text(node))
            }
        case .quoted, .alias: self = .string(document.text(node))
        }
    }

    /// The value of a member of an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == name }?.value
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A number of any kind, rounded to the nearest Double.
    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .decimal(let text): Double(text)
        default: nil
        }
    }

    package var integer: Int? {
        if case .integer(let number) = self { number } else { nil }
    }

    package var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let items) = self { items } else { nil }
    }

    package var members: [(key: String, value: JSONValue)]? {
        if case .object(let members) = self { members } else { nil }
    }
}
