import Foundation
import Support
import Testing

/// The content server that is built in and the copy of a module here, asked the same questions.
@Suite("Filters of content")
struct FilterAgreementTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: { flow: password, username: ada, password: wonder }
        background: {}
        content: { modules: { things: { name: Things } } }
        backends:
          issuer: { users: { ada: { password: wonder } } }
          content: { directory: content }
        api: { socket: auto }

        """

    private static let things = #"""
        module: Things
        instances:
          percent: { name: percent, values: { title: "50% off", open: true, price: 5, kinds: [a_b, "c%d"] } }
          under: { name: under, values: { title: "snake_case", open: false, price: 20.5 } }
          slash: { name: slash, values: { title: "back\\slash", price: 7 } }
          loud: { name: loud, values: { title: "LOUD Größe", price: -1 } }
          none: { name: none, values: { price: 0 } }

        """#

    /// Filters, with the names of what they find.
    private static let table: [(filter: String, names: [String])] = [
        ("title like '%'", ["percent"]),
        ("title like '_'", ["under"]),
        (#"title like "\\""#, ["slash"]),
        (#"title like '50\\%'"#, []),
        ("title like '%off%'", []),
        ("title like 'snake-case'", []),
        ("title like 'loud'", ["loud"]),
        ("title like 'OFF'", ["percent"]),
        ("title like 'GRÖSSE'", []),
        ("title like 'größe'", ["loud"]),
        ("title like ''", ["loud", "percent", "slash", "under"]),
        ("title like '.'", []),
        ("title like '*'", []),
        ("kinds like '%'", ["percent"]),
        ("kinds like 'A_'", ["percent"]),
        ("open like 'TRU'", ["percent"]),
        ("price like '5'", []),
        ("missing like 'a'", []),
        ("title like 'a' and price > 7", ["under"]),
    ]

    private static func names(_ runner: RunningRunner, _ filter: String, policy: String) async throws -> [String] {
        let query = ["module": "things", "where": filter, "sort": "name asc"]
        let answer = try await runner.ask(
            "POST",
            "/v1/content/search",
            ["Content-Type: application/json", "Corewire-Offline-Policy: \(policy)"],
            body: Array(try JSONSerialization.data(withJSONObject: query))
        )
        let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let items = try #require(json?["items"] as? [[String: Any]], "\(filter): \(answer.text)")
        return items.compactMap { $0["name"] as? String }
    }

    @Test("the filter 'like' finds the same instances at the server and in the copy")
    func like() async throws {
        let home = try TemporaryFolder()
        let folder = home.url.appendingPathComponent("content")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try home.write(Self.things, to: "content/things.yaml")
        let runner = try await RunningRunner(Self.file, in: home)
        let synced = try await eventually { try runner.corewire(["content", "sync"]).status == 0 }
        #expect(synced, "\(runner.log)")
        for (filter, names) in Self.table {
            #expect(try await Self.names(runner, filter, policy: "none") == names, "the server, \(filter)")
            let local = "returnLocalDataDontLoad"
            #expect(try await Self.names(runner, filter, policy: local) == names, "the copy, \(filter)")
        }
        #expect(try await runner.stop() == 0)
    }
}
