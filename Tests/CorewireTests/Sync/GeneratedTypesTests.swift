import Corewire
import Foundation
import Support
import Testing
import WireConfig

/// `GraphQL.swift` beside this file is what the command writes for the fixtures, compiled with the settings of this package.
@Suite("'corewire sync generate'")
struct GeneratedTypesTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/CorewireTests/Sync")
    private static let fixtures = folder.appendingPathComponent("Fixtures").path
    private static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    private static var hasCore: Bool { (try? Program.run(python, ["-c", "import graphql"]).status) == 0 }
    private static var hasSchemas: Bool {
        (try? Program.run("/usr/bin/python3", ["-c", "import jsonschema"]).status) == 0
    }

    private func generate(_ arguments: String...) throws -> String {
        let run = try Program.corewire(["sync", "generate", "--config", "\(Self.fixtures)/services.yaml"] + arguments)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run.output
    }

    @Test("the compiled Swift types equal the generated ones")
    func written() throws {
        let text = try generate("swift", "--scalar", "Timestamp=Int", "--scalar", "DateTime=Foundation.Date")
        let path = Self.folder.appendingPathComponent("GraphQL.swift")
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil { try Data(text.utf8).write(to: path) }
        #expect(text == String(decoding: try Data(contentsOf: path), as: UTF8.self))
    }

    @Test("the Swift types decode responses of graphql-core", .enabled(if: hasCore))
    func read() throws {
        var count = 0
        for answer in try Self.answers() {
            switch try #require(answer["name"]?.string) {
            case GraphQL.TasksQuery.name: try check(tasks: answer)
            case GraphQL.SearchQuery.name: try check(search: answer)
            case GraphQL.OneNodeQuery.name: try check(node: answer)
            case GraphQL.EverythingQuery.name: _ = try data(GraphQL.EverythingQuery.Data.self, answer)
            case GraphQL.SaveTaskMutation.name: _ = try data(GraphQL.SaveTaskMutation.Data.self, answer)
            default: _ = try data(GraphQL.TaskChangedSubscription.Data.self, answer)
            }
            count += 1
        }
        #expect(count == 6 * 40)
    }

    private func check(tasks answer: JSONValue) throws {
        let tasks = try data(GraphQL.TasksQuery.Data.self, answer).tasks
        let raw = try #require(answer["data"]?["tasks"]?.array)
        #expect(tasks.map(\.taskParts.title) == raw.compactMap { $0["title"]?.string })
        #expect(tasks.map(\.taskParts.nodeParts.id) == raw.compactMap { $0["id"]?.string })
        #expect(tasks.map(\.taskParts.status.rawValue) == raw.compactMap { $0["status"]?.string })
        #expect(tasks.map { $0.owner?.name } == raw.map { $0["owner"]?["name"]?.string })
        #expect(tasks.map { $0.due == nil } == raw.map { $0["due"]?.string == nil })
        for (task, raw) in zip(tasks, raw) {
            let children = try #require(raw["children"]?.array)
            #expect(task.children.map { $0.owner?.name } == children.map { $0["owner"]?["name"]?.string })
            #expect(task.parent?.parent?.selfValue == raw["parent"]?["parent"]?["self"]?.string)
        }
    }

    private func check(search answer: JSONValue) throws {
        let raw = try #require(answer["data"]?["search"]?.array)
        for (found, raw) in zip(try data(GraphQL.SearchQuery.Data.self, answer).search, raw) {
            #expect((found.asTask != nil) == (found.typename == "Task"))
            #expect((found.asUser != nil) == (found.typename == "User"))
            #expect((found.asTitled != nil) == (found.typename != "User"))
            #expect((found.noteParts != nil) == (found.typename == "Note"))
            #expect(found.asTask?.taskParts.title == raw["title"]?.string)
            #expect(found.asTitled?.heading == raw["heading"]?.string)
        }
    }

    private func check(node answer: JSONValue) throws {
        guard let node = try data(GraphQL.OneNodeQuery.Data.self, answer).node else { return }
        #expect(node.nodeParts.id == node.id && (node.asTitled != nil) == (node.type != "User"))
    }

    @Test("unset variables are omitted, and null is sent")
    func variables() throws {
        func text(_ operation: some Corewire.SyncOperation) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(operation.variables), as: UTF8.self)
        }
        #expect(try text(GraphQL.EverythingQuery()) == "{}")
        #expect(try text(GraphQL.TasksQuery(withOwner: true)) == #"{"withOwner":true}"#)
        let filter = GraphQL.TaskFilter(
            status: [.open, .unknown("NEW")],
            title: .some(nil),
            not: .init(and: [.init()])
        )
        #expect(
            try text(GraphQL.TasksQuery(filter: filter, first: 2, withOwner: false))
                == #"{"filter":{"not":{"and":[{}]},"status":["OPEN","NEW"],"title":null},"first":2,"withOwner":false}"#
        )
        let input = GraphQL.TaskInput(title: "t", status: .unknownValue, owner: .of(.name("n")))
        #expect(
            try text(GraphQL.SaveTaskMutation(input: input))
                == #"{"input":{"owner":{"of":{"name":"n"}},"status":"UNKNOWN","title":"t"}}"#
        )
    }

    @Test("the JSON Schema accepts responses of graphql-core, and no others", .enabled(if: hasCore && hasSchemas))
    func schema() throws {
        let schema = try generate("--format", "json-schema")
        let answers = JSONValue.array(try Self.answers()).text()
        let run = try Program.run(
            "/usr/bin/python3",
            [Self.folder.appendingPathComponent("Oracle/validate.py").path],
            input: Data("{\"schema\": \(schema), \"answers\": \(answers)}".utf8)
        )
        #expect(run.status == 0 && run.output.hasPrefix("accepted 240, refused "), "\(run.everything)")
    }

    // MARK: Answers

    private static func answers() throws -> [JSONValue] {
        let documents = try ["operations.graphql", "fragments.graphql"].map {
            try Data(contentsOf: URL(fileURLWithPath: "\(fixtures)/\($0)"))
        }
        let script = folder.appendingPathComponent("Oracle/answers.py").path
        let run = try Program.run(
            python,
            [script, "\(fixtures)/schema.graphqls", "40"],
            input: documents.reduce(Data(), +)
        )
        #expect(run.status == 0, "\(run.errors)")
        return try #require(JSONValue(parsing: Array(run.output.utf8), named: "answers").array)
    }

    private func data<Value: Decodable>(_ type: Value.Type, _ answer: JSONValue) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(try #require(answer["data"]).bytes()))
    }
}
