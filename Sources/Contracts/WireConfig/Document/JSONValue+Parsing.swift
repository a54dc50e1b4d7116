extension JSONValue {
    /// Reads a JSON text strictly, within limits; the name is what a problem calls the text.
    package init(parsing bytes: [UInt8], named name: String, limits: ReadingLimits = ReadingLimits()) throws(Unreadable)
    {
        let source = try TextIntake.accept(bytes, named: name)
        var builder = DocumentBuilder(source: source, into: Document(), limits: limits)
        try JSONReader.read(&builder, source)
        let result = builder.finish()
        if let problem = result.problems.first(where: { $0.code.severity == .error }) { throw Unreadable(problem) }
        self = result.root.map { JSONValue($0, of: result.document) } ?? .null
    }

    /// A node as it stands.
    private init(_ node: NodeID, of document: Document) {
        switch document.kind(node) {
        case .sequence: self = .array(document.items(node).map { JSONValue($0, of: document) })
        case .mapping:
            self = .object(
                document.entries(node).map { (document.text($0.key), JSONValue($0.value, of: document)) }
            )
        case .plain:
            switch CoreScalar(document.bytes(node)) {
            case .null: self = .null
            case .boolean(let value): self = .boolean(value)
            case .integer(let value): self = .integer(value)
            case .number(let value) where value.isFinite: self = .number(value)
            default: self = .string(document.text(node))
            }
        case .quoted, .alias: self = .string(document.text(node))
        }
    }

    /// A member of an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == name }?.value
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
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
