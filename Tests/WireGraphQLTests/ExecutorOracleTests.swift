import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireGraphQL

/// The executor beside graphql-core, the reference implementation in Python.
@Suite("GraphQL executor compared with graphql-core", .enabled(if: Oracle.hasCore))
struct ExecutorOracleTests {
    @Test("generated documents give the same data and error paths", arguments: [1, 2, 3])
    func documents(seed: Int) async throws {
        let sdl = try Oracle.text("executor.graphqls")
        guard case .object(var work) = try Oracle.json("executor.json") else { throw Oracle.Unreadable() }
        let resolver = DataResolver(objects: try #require(work.first { $0.key == "objects" }?.value))
        let root = try #require(work.first { $0.key == "root" }?.value)
        work += [("schema", .string(sdl)), ("seed", .integer(seed)), ("count", .integer(150))]
        let executor = Executor(try Oracle.schema(sdl), resolver)
        var withData = 0
        for line in try Oracle.run("executor.py", .object(work)) {
            let (query, expected) = (line["query"]?.string ?? "", line["result"])
            let document = try Parser.document(SourceFile(name: "query", bytes: Array(query.utf8), isFile: false))
            let kind = try #require(document.operations.first?.kind.rawValue)
            let result = await executor.execute(
                document,
                variables: line["variables"] ?? .null,
                root: root[kind] ?? .null
            )
            let paths = result.errors.map { $0.path.isEmpty ? "null" : JSONValue.array($0.path.map(\.json)).spaced }
            let found = JSONValue.object([
                ("data", result.data ?? .null), ("errors", .array(paths.sorted().map(JSONValue.string))),
            ])
            let context = "\(query)\n\(line["variables"]?.text() ?? "")\n\(result.errors.map(\.message))"
            #expect(found.comparable == expected?.comparable, "\(context)")
            if result.data?.members?.isEmpty == false { withData += 1 }
        }
        #expect(withData > 100)
    }

    @Test(
        "introspection gives the same result",
        arguments: [
            try? Oracle.text("executor.graphqls"),
            "type Query { a(b: [Int!] = [1, 2]): String }",
            "schema { query: Q subscription: S } type Q { a: B } type B { b: C! } interface C { id: ID } "
                + "\"d\" type S implements C { id: ID x(f: Float = 1): [[ID]!] } directive @x(a: Int) repeatable on FIELD | ENUM",
        ]
    )
    func introspection(sdl: String?) async throws {
        let sdl = try #require(sdl)
        let work = JSONValue.members(["schema": .string(sdl), "introspect": .boolean(true)])
        let line = try #require(try Oracle.run("executor.py", work).first)
        let query = try #require(line["query"]?.string)
        let document = try Parser.document(SourceFile(name: "query", bytes: Array(query.utf8), isFile: false))
        let result = await Executor(try Oracle.schema(sdl), DataResolver(objects: .null)).execute(document)
        #expect(result.errors.isEmpty)
        let found = result.data?["__schema"]
        #expect(found?.ownParts.comparable == line["result"]?.ownParts.comparable)
        let names = Set(found?["types"]?.array?.compactMap { $0["name"]?.string } ?? [])
        #expect(names.isSuperset(of: ["__Schema", "__Type", "__TypeKind", "__Field", "__InputValue", "__EnumValue"]))
        #expect(names.isSuperset(of: ["__Directive", "__DirectiveLocation", "String", "Boolean"]))
        #expect(names.contains("Float") == sdl.contains("Float"))
    }
}

/// Values as data: `{"$ref": id}`, `{"$error": text}`, `{"$arguments": true}`.
struct DataResolver: FieldResolver {
    let objects: JSONValue

    func value(of call: FieldCall) async throws -> JSONValue? {
        try call.parent[call.field].map { try value($0, call) }
    }

    private func value(_ value: JSONValue, _ call: FieldCall) throws -> JSONValue {
        if let id = value["$ref"]?.string { return objects[id] ?? .null }
        if let text = value["$error"]?.string { throw ResolverError(text) }
        if value["$arguments"] != nil { return call.arguments }
        // graphql-core fails a list whose item fails before the list is completed.
        if let items = value.array { return .array(try items.map { try self.value($0, call) }) }
        return value
    }
}

/// Files of the folder beside the tests, and what scripts there say as JSON.
extension Oracle {
    struct Unreadable: Error {}

    static let folder = Repository.root.appendingPathComponent("Tests/WireGraphQLTests/Oracle")

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    static func json(_ name: String) throws -> JSONValue {
        try JSONValue(parsing: Array(try text(name).utf8), named: name)
    }

    static func schema(_ sdl: String) throws -> Schema {
        let document = try Parser.document(SourceFile(name: "schema", bytes: Array(sdl.utf8), isFile: false))
        let (schema, findings) = SchemaBuilder.build([document])
        #expect(findings.isEmpty)
        return try #require(schema)
    }

    /// The lines that a script prints, each a JSON value.
    static func run(_ script: String, _ input: JSONValue) throws -> [JSONValue] {
        let run = try Program.run(
            python,
            [folder.appendingPathComponent(script).path],
            input: Data(input.bytes()),
            environment: ["PYTHONDONTWRITEBYTECODE": "1"]
        )
        guard run.status == 0 else {
            Issue.record("\(run.everything.suffix(2_000))")
            throw Unreadable()
        }
        return try run.output.split(separator: "\n").map {
            try JSONValue(parsing: Array($0.utf8), named: "line")
        }
    }
}

extension JSONValue {
    /// The value as text in which equal numbers are written alike.
    var comparable: String { withNumbers.text(indented: true) }

    private var withNumbers: JSONValue {
        switch self {
        case .integer(let value): .number(Double(value))
        case .array(let items): .array(items.map(\.withNumbers))
        case .object(let members): .object(members.map { ($0.key, $0.value.withNumbers) })
        default: self
        }
    }

    /// As Python writes lists.
    var spaced: String { "[" + (array ?? []).map { $0.text() }.joined(separator: ", ") + "]" }

    /// A schema of introspection in the order of the names, without the parts that each schema has.
    var ownParts: JSONValue {
        switch self {
        case .array(let items):
            let sorted = items.map(\.ownParts)
            guard sorted.allSatisfy({ $0["name"]?.string != nil }) else { return .array(sorted) }
            let own = sorted.filter { item in
                let name = item["name"]?.string ?? ""
                return !name.hasPrefix("__") && !Schema.builtInScalars.contains(name)
                    && !Schema.builtInDirectives.contains(name)
            }
            return .array(own.sorted { ($0["name"]?.string ?? "") < ($1["name"]?.string ?? "") })
        case .object(let members): return .object(members.map { ($0.key, $0.value.ownParts) })
        default: return self
        }
    }
}
