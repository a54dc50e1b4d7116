import WireBase
import WireConfig
import WireGraphQL

extension Property {
    /// A document that is taken prints to a text that means the same, and each rule points into the text.
    static func checkGraphQL(_ bytes: [UInt8]) throws(BrokenProperty) {
        let source = SourceFile(name: "fuzz", bytes: bytes)
        let document: Syntax.Document
        do throws(Finding) {
            document = try Parser.document(source, limits: .request)
        } catch {
            return try check([error], in: source)
        }
        let executable = document.definitions.filter(\.isExecutable)
        if !executable.isEmpty {
            let text = DocumentPrinter.text(executable, .compact)
            guard DocumentPrinter.text(try reread(text).definitions, .compact) == text else {
                throw BrokenProperty("'\(text)' does not print the same again")
            }
        }
        if document.definitions.contains(where: { !$0.isExecutable }) {
            let (schema, findings) = SchemaBuilder.build([document])
            try check(findings, in: source)
            guard let schema, findings.isEmpty else { return }
            let printed = SchemaPrinter.text(schema)
            guard SchemaPrinter.text(SchemaBuilder.build([try reread(printed)]).schema ?? schema) == printed else {
                throw BrokenProperty("a schema does not print the same again")
            }
        } else if let schema = Self.schema {
            try check(Validator.findings(in: document, against: schema, limits: .request), in: source)
            for operation in document.operations { _ = RequestLimits().finding(of: operation, in: document) }
        }
    }

    /// Messages of a WebSocket, a line each, never break a session at either end.
    static func checkSocket(_ bytes: [UInt8]) throws(BrokenProperty) {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        for spoken in SocketProtocol.allCases {
            var server = SocketServerSession(spoken)
            var client = SocketClientSession(spoken)
            _ = server.opened() + []
            _ = client.opened()
            _ = client.subscribe(GraphQLRequest("{ a }"))
            for line in lines {
                for action in server.received(line) {
                    if case .authorise = action { _ = server.accept() }
                }
                _ = client.received(line)
            }
        }
    }

    private static func reread(_ text: String) throws(BrokenProperty) -> Syntax.Document {
        do throws(Finding) {
            return try Parser.document(SourceFile(name: "printed", bytes: Array(text.utf8)))
        } catch {
            throw BrokenProperty("what was printed is refused: \(error.message) in '\(text)'")
        }
    }

    private static func check(_ findings: [Finding], in source: SourceFile) throws(BrokenProperty) {
        for finding in findings {
            for place in [finding.place].compactMap({ $0 }) + finding.related.map(\.place) where place.file === source {
                guard place.bytes.lowerBound >= 0, place.bytes.upperBound <= source.bytes.count else {
                    throw BrokenProperty("'\(finding.message)' points beyond the text")
                }
            }
        }
    }

    private static let schema: Schema? = {
        let text = """
            interface Node { id: ID! }
            type Task implements Node { id: ID! title: String! done: Boolean tags(first: Int = 1): [String!] next: Node }
            union Any = Task | Other
            type Other { at: Float kind: Kind }
            enum Kind { A B }
            input Filter @oneOf { id: ID title: String }
            type Query { task(id: ID!): Task any(filter: Filter): [Any] node(id: ID!): Node }
            type Mutation { add(title: String!): Task! }
            type Subscription { added: Task! }
            """
        return (try? Parser.document(SourceFile(name: "schema", bytes: Array(text.utf8)))).flatMap {
            SchemaBuilder.build([$0]).schema
        }
    }()
}
