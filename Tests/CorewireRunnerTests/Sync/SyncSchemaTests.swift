import Foundation
import Support
import Testing

@Suite("'corewire sync schema'")
struct SyncSchemaTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        sync: { url: graphql, authenticated: false, schema: old.graphqls, operations: tasks.graphql }
        backends: { graphql: { schema: new.graphqls } }
        api: { socket: auto }

        """
    private static let old = """
        type Query { tasks: [Task!]! }
        type Task { id: ID! title: String! isDone: Boolean! kind: Kind }
        enum Kind { A }

        """
    private static let new = """
        type Query { tasks: [Task!]! }
        type Task { id: ID! title: String! kind: Kind note: String }
        enum Kind { A B }

        """

    @Test("the schema replaces the file with a list of changes, and '--check' fails only for breaking changes")
    func written() async throws {
        let home = try TemporaryFolder()
        try home.write(Self.old, to: "old.graphqls")
        try home.write(Self.new, to: "new.graphqls")
        try home.write("query T { tasks { id } }\n", to: "tasks.graphql")
        let runner = try await RunningRunner(Self.file, in: home)
        let file = home.url.appendingPathComponent("\(runner.app).yaml").path
        func corewire(_ words: String...) throws -> Run {
            let paths = ["--config", file, "--socket", runner.socket]
            return try Program.corewire(["sync"] + words + paths)
        }
        let changes = """
            severity   part         change
            breaking   Task.isDone  the field 'Task.isDone' was removed
            dangerous  Kind.B       the enum value 'Kind.B' was added
            safe       Task.note    the field 'Task.note' was added

            """
        let check = try corewire("schema", "--check")
        #expect(check.status == 1 && check.output == changes, "\(check.everything)")
        let printed = try corewire("schema", "--output", "-")
        #expect(printed.status == 0 && printed.errors == changes && printed.output.contains("  note: String\n"))
        #expect(try home.text(of: "old.graphqls") == Self.old)
        let written = try corewire("schema")
        #expect(written.status == 0 && written.output == changes && written.errors.hasPrefix("wrote "))
        #expect(try home.text(of: "old.graphqls") == printed.output)
        let again = try corewire("schema", "--check")
        #expect(again.status == 0 && again.output == "the schema has not changed\n", "\(again.everything)")
        #expect(try await runner.stop() == 0)
        let stopped = try corewire("schema", "--check")
        #expect(stopped.status == 69)
    }

    @Test("operations are listed without a runner")
    func operations() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.file, to: "a.yaml")
        try folder.write(Self.old, to: "old.graphqls")
        try folder.write("query T($a: Int = 1) { tasks { id title } }\n", to: "tasks.graphql")
        let run = try Program.corewire(["sync", "operations", "--config", "a.yaml"], in: folder.url)
        #expect(
            run.output == """
                operation  kind   variables   selects
                T          query  a: Int = 1  Query.tasks, Task.id, Task.title

                """
        )
        #expect(run.status == 0, "\(run.errors)")
    }
}
