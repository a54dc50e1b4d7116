import Foundation
import Support
import Testing

/// Content of the built programs, with a server that goes away.
@Suite("Content on the command line")
struct ContentTests {
    private static func serve(_ home: TemporaryFolder) async throws -> (StartedProgram, port: String) {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("server.py")
        let port = home.url.appendingPathComponent("port")
        let program = try StartedProgram(
            "/usr/bin/python3",
            [script.path, port.path],
            environment: ["LC_ALL": "C.UTF-8"],
            output: home.url.appendingPathComponent("server.out").path,
            errors: home.url.appendingPathComponent("server.log").path
        )
        let isReady = await eventually { FileManager.default.fileExists(atPath: port.path) }
        try #require(isReady, "\((try? home.text(of: "server.log")) ?? "")")
        return (program, try String(contentsOf: port, encoding: .utf8))
    }

    @Test("stored modules are available while the server is not")
    func offline() async throws {
        let home = try TemporaryFolder()
        let (server, port) = try await Self.serve(home)
        let runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            environments: { dev: { baseUrl: "http://127.0.0.1:\(port)" } }
            environment: dev
            network: { retries: 0, offlinePolicy: loadAndStoreLocalData }
            content:
              authenticated: false
              modules: { news: { name: News } }
            api: { socket: auto }

            """,
            in: home
        )
        func corewire(_ arguments: String...) throws -> Run {
            try Program.corewire(["content"] + arguments + ["--socket", runner.socket])
        }
        let modules = try corewire("modules")
        #expect(modules.output.contains("m1") && modules.output.contains("News"), "\(modules.everything)")
        let search = ["search", "--module", "Others"]
        let found = try Program.corewire(["content"] + search + ["--socket", runner.socket])
        #expect(found.output.contains("Cheap") && !found.output.contains("stored"), "\(found.everything)")
        let synced = try corewire("sync")
        #expect(synced.output.contains("up to date"), "\(synced.everything)")

        server.signal(SIGTERM)
        _ = try await server.end()
        let again = try Program.corewire(["content"] + search + ["--socket", runner.socket])
        #expect(again.output.contains("Cheap") && again.output.contains("from stored content"), "\(again.everything)")
        let dear = try corewire("search", "--module", "news", "--where", "price > 10 and title like 'CAR'")
        #expect(dear.output.contains("Dear") && !dear.output.contains("Cheap"), "\(dear.everything)")
        #expect(dear.output.contains("from stored content"))
        let answer = try await runner.ask("GET", "/v1/content/search?module=news&sort=name%20desc")
        #expect(answer["corewire-cache"]?.hasPrefix("stale;") == true, "\(answer.text)")
        let json = try corewire("search", "--module", "news", "--sort", "name desc", "--format", "json").json()
        #expect((json["items"] as? [[String: Any]])?.compactMap { $0["id"] as? String } == ["b", "a"])

        let none = try await runner.ask(
            "GET",
            "/v1/content/search?module=news",
            ["Corewire-Offline-Policy: none"]
        )
        #expect(none.status == 504 && none.text.contains("loadAndStoreLocalData"), "\(none.text)")

        let never = try corewire("search", "--module", "Never")
        #expect(never.status == 1 && !never.errors.isEmpty, "\(never.everything)")
        let made = try corewire("create", "news", "--name", "New", "{}")
        #expect(made.status == 1, "\(made.everything)")
        let wrong = try corewire("search", "--module", "news", "--where", "price >")
        #expect(wrong.status == 1 && wrong.errors.contains("expected"), "\(wrong.everything)")
        #expect(try await runner.stop() == 0)
    }
}
