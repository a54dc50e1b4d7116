import WireBase
package import WireConfig

extension Request {
    /// Reads the body as one JSON object, strictly: what is unknown, missing, of another type or there twice is a
    /// problem that names the place.
    ///
    /// The closure asks for the members it knows; one that nobody asked for is unknown.
    package func json<Value>(_ read: (inout JSONMembers) throws(Problem) -> Value) throws(Problem) -> Value {
        let text = try JSONBodyText(body)
        var members = try JSONMembers(text.root, at: "", in: text)
        let value = try read(&members)
        try members.refuseUnknown()
        return value
    }

    /// Reads the body as any one JSON value.
    package func jsonValue() throws(Problem) -> JSONValue {
        let text = try JSONBodyText(body)
        return try text.value(text.root, at: "")
    }
}

/// A body that was read as JSON, every value with its place.
struct JSONBodyText {
    let document: Document
    let root: NodeID

    private static var limits: ReadingLimits {
        var limits = ReadingLimits()
        limits.depth = 32
        limits.nodes = 1_000_000
        limits.scalarLength = .mebibytes(16)
        return limits
    }

    init(_ body: [UInt8]) throws(Problem) {
        if let offset = Self.firstStrangeByte(of: body) {
            throw .body("the body is not UTF-8: byte \(offset + 1) does not belong to any character", nil, "")
        }
        let source = SourceFile(name: "body", bytes: body, isFile: false)
        var builder = DocumentBuilder(source: source, into: Document(), limits: Self.limits)
        do throws(Unreadable) {
            try JSONReader.read(&builder, source)
        } catch {
            throw .body(error.problem.message, error.problem.place, "")
        }
        let (document, root, problems) = builder.finish()
        if let problem = problems.first { throw .body(problem.message, problem.place, "") }
        guard let root else { throw .body("the body is empty, expected JSON", nil, "") }
        self.document = document
        self.root = root
    }

    /// Looks at the text as it is decoded: what repairs text would change names and secrets without a sign.
    private static func firstStrangeByte(of bytes: [UInt8]) -> Int? {
        if bytes.allSatisfy({ $0 < 0x80 }) { return nil }
        var decoder = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.parseScalar(from: &rest) {
            case .valid(let encoded): offset += encoded.count
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }

    func failure(_ detail: String, _ node: NodeID, _ pointer: String) -> Problem {
        .body(detail, document.place(node), pointer)
    }

    /// What a node is, as messages say it; never what it says, which may be a secret.
    func kind(_ node: NodeID) -> String {
        switch document.kind(node) {
        case .mapping: "an object"
        case .sequence: "an array"
        case .quoted, .alias: "text"
        case .plain:
            switch CoreScalar(document.bytes(node)) {
            case .null: "null"
            case .boolean: "a boolean"
            case .integer, .hugeInteger, .number: "a number"
            case .text: "text"
            }
        }
    }

    /// A node with all it holds.
    func value(_ node: NodeID, at pointer: String) throws(Problem) -> JSONValue {
        switch document.kind(node) {
        case .quoted, .alias: return .string(document.text(node))
        case .sequence:
            var items: [JSONValue] = []
            for item in document.items(node) { items.append(try value(item, at: pointer)) }
            return .array(items)
        case .mapping:
            var members: [(key: String, value: JSONValue)] = []
            for entry in document.entries(node) {
                members.append((document.text(entry.key), try value(entry.value, at: pointer)))
            }
            return .object(members)
        case .plain:
            switch CoreScalar(document.bytes(node)) {
            case .null: return .null
            case .boolean(let value): return .boolean(value)
            case .integer(let value): return .integer(value)
            case .number(let value) where value.isFinite: return .number(value)
            case .number, .hugeInteger, .text:
                throw failure("the number is too large to be kept as it is", node, pointer)
            }
        }
    }
}

extension Problem {
    static func body(_ detail: String, _ place: SourceRange?, _ pointer: String) -> Problem {
        var problem = Problem(.badRequest, "invalid-body", "the body is not as expected", detail: detail)
        problem.spot = Spot(pointer: pointer, line: place?.start.line, column: place?.start.column)
        return problem
    }
}
