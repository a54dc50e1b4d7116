import Testing
import WireBase
import WireConfig
import WireGraphQL

/// An answer that makes no schema, and what its finding says.
struct Refusal: CustomTestStringConvertible {
    let json: JSONValue
    let message: String
    var testDescription: String { message }

    init(_ json: JSONValue, _ message: String) {
        (self.json, self.message) = (json, message)
    }
}

@Suite("GraphQL introspection")
struct SchemaIntrospectionTests {
    private static let int = reference("SCALAR", "Int")

    private static func reference(_ kind: String, _ name: String) -> JSONValue {
        .members(["kind": .string(kind), "name": .string(name), "ofType": .null])
    }

    private static func wrapped(_ kind: String, _ inner: JSONValue) -> JSONValue {
        .members(["kind": .string(kind), "name": .null, "ofType": inner])
    }

    private static func field(_ name: String, _ type: JSONValue, args: [JSONValue] = []) -> JSONValue {
        .members(["name": .string(name), "args": .array(args), "type": type])
    }

    private static func object(_ name: String, _ fields: [JSONValue]) -> JSONValue {
        .members(["kind": .string("OBJECT"), "name": .string(name), "fields": .array(fields), "interfaces": .null])
    }

    private static func answer(
        query: String = "Query",
        fields: [JSONValue] = [field("a", int)],
        types: [JSONValue] = [],
        directives: [JSONValue] = []
    ) -> JSONValue {
        let members: JSONValue = .members([
            "queryType": .members(["name": .string(query)]),
            "types": .array([object("Query", fields)] + types),
            "directives": .array(directives),
        ])
        return .members(["__schema": members])
    }

    private func failure(_ json: JSONValue) -> Finding? {
        do throws(Finding) {
            _ = try Schema(introspection: json)
            return nil
        } catch {
            return error
        }
    }

    @Test("a response is read with or without 'data', and unknown members are ignored")
    func read() throws {
        let directive: JSONValue = .members([
            "name": .string("d"), "args": .array([]),
            "locations": .array([.string("FIELD"), .string("SOMETHING_NEW")]),
        ])
        let new: JSONValue = .members([
            "name": .string("e"), "args": .array([]), "locations": .array([.string("SOMETHING_NEW")]),
        ])
        let answer = Self.answer(directives: [directive, new])
        for json in [answer, .members(["data": answer, "extensions": .null])] {
            let schema = try Schema(introspection: json)
            #expect(schema.query == "Query")
            #expect(schema.types["Query"]?.place == nil)
            #expect(schema.directives["d"]?.locations == ["FIELD"])
            #expect(schema.directives["e"] == nil)
        }
    }

    @Test("rules that references do not depend on are not checked")
    func lenient() throws {
        let empty = Self.object("Empty", [])
        let deprecated: JSONValue = .members([
            "name": .string("b"), "type": Self.wrapped("NON_NULL", Self.int), "isDeprecated": .boolean(true),
        ])
        let fields = [Self.field("a", Self.int, args: [deprecated]), Self.field("__b", Self.int)]
        let schema = try Schema(introspection: Self.answer(fields: fields, types: [empty]))
        #expect(schema.types["Query"]?.fields.first?.arguments.first?.deprecation == Schema.defaultDeprecation)
    }

    @Test(
        "an invalid response is a finding that names the part",
        arguments: [
            Refusal(.null, "missing '__schema'"),
            Refusal(.members(["data": .null, "errors": .array([])]), "missing '__schema'"),
            Refusal(
                .members(["errors": .array([.members(["message": .string("introspection is disabled")])])]),
                "the server rejects the introspection query: 'introspection is disabled'"
            ),
            Refusal(.members(["__schema": .members([:])]), "'the schema' has no list 'types'"),
            Refusal(answer(query: "Qury"), "unknown type 'Qury'"),
            Refusal(answer(query: "a b"), "the query type has no valid name"),
            Refusal(answer(fields: [field("a", reference("OBJECT", "Task"))]), "unknown type 'Task'"),
            Refusal(answer(fields: [field("a", .null)]), "the type of 'Query.a' is missing or cut off"),
            Refusal(
                answer(fields: [field("a", wrapped("LIST", .null))]),
                "the type of 'Query.a' is missing or cut off"
            ),
            Refusal(
                answer(fields: [field("a", wrapped("NON_NULL", wrapped("NON_NULL", int)))]),
                "the type of 'Query.a' is non-null twice"
            ),
            Refusal(
                answer(types: [.members(["kind": .string("MAP"), "name": .string("M")])]),
                "the type 'M' has the unknown kind 'MAP'"
            ),
            Refusal(answer(types: [object("Query", [])]), "duplicate definition of the type 'Query'"),
            Refusal(
                answer(types: [.members(["kind": .string("OBJECT"), "name": .string("T")])]),
                "'T' has no list 'fields'"
            ),
            Refusal(
                answer(types: [
                    .members([
                        "kind": .string("ENUM"), "name": .string("E"),
                        "enumValues": .array([.members(["name": .string("true")])]),
                    ])
                ]),
                "the enum 'E' has the value 'true', which is a reserved word"
            ),
            Refusal(
                answer(fields: [
                    field(
                        "a",
                        int,
                        args: [.members(["name": .string("b"), "type": int, "defaultValue": .string("{")])]
                    )
                ]),
                "the default value of 'Query.a(b:)' cannot be read: expected the name of a field or '}', found the end of the text"
            ),
        ]
    )
    func refused(answer: Refusal) throws {
        let finding = try #require(failure(answer.json))
        #expect(finding.rule == .introspection)
        #expect(finding.place == nil)
        #expect(finding.message.hasSuffix(answer.message))
    }

    @Test("nesting and number of parts are limited")
    func limits() {
        let deep = (0..<1_000).reduce(Self.int) { inner, _ in Self.wrapped("LIST", inner) }
        #expect(failure(Self.answer(fields: [Self.field("a", deep)]))?.rule == .limits)
        let many = Array(repeating: Self.object("T", []), count: 500_001)
        #expect(failure(Self.answer(types: many))?.rule == .limits)
    }

    @Test("introspection queries are valid, and older variants request less")
    func queries() throws {
        let texts = IntrospectionQuery.allCases.map(\.text)
        for text in texts {
            let document = try Parser.document(SourceFile(name: "q", bytes: Array(text.utf8)))
            #expect(document.operations.count == 1)
            #expect(document.fragments.count == 3)
        }
        #expect(texts[0].contains("isOneOf") && !texts[1].contains("isOneOf"))
        #expect(texts[1].contains("specifiedByURL") && !texts[2].contains("specifiedByURL"))
    }
}
