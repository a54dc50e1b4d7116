import Foundation
import Support
import Testing

@Suite("Content of the embedded servers, and its files")
struct BuiltInContentTests {
    private static func file(_ folder: String) -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: { flow: password, username: ada, password: wonder }
        content: {}
        backends:
          issuer: { users: { ada: { password: wonder } } }
          content: { directory: \(folder) }
        api: { socket: auto }

        """
    }

    private static func news(_ name: String) -> String {
        "module: News\ninstances:\n  one: { name: \(name) }\n"
    }

    @Test("a reload uses changed content files, and rejects a missing folder")
    func reload() async throws {
        let home = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: home.url.appendingPathComponent("content"),
            withIntermediateDirectories: true
        )
        try home.write(Self.news("The first"), to: "content/news.yaml")
        let runner = try await RunningRunner(Self.file("content"), in: home)
        func found() -> String { (try? runner.corewire(["content", "search", "--module", "News"]))?.everything ?? "" }
        #expect(await eventually { found().contains("The first") }, "\(found())")

        try home.write(Self.news("The second"), to: "content/news.yaml")
        #expect(try await runner.reload(Self.file("content")).text.contains(#""outcome":"applied""#))
        #expect(await eventually { found().contains("The second") && !found().contains("The first") }, "\(found())")
        #expect(try await runner.reload(Self.file("content")).text.contains(#""outcome":"unchanged""#))

        let refused = try await runner.reload(Self.file("gone"))
        #expect(refused.status != 200 && refused.text.contains("the folder 'gone' does not exist"), "\(refused.text)")
        #expect(refused.text.contains("com.example.tasks.yaml:9:"))
        #expect(found().contains("The second"), "\(found())")
        try home.write("modul: x\n", to: "content/news.yaml")
        #expect(try await runner.reload(Self.file("content")).text.contains("corewire validate-config --local"))
        #expect(found().contains("The second"), "\(found())")
        #expect(try await runner.stop() == 0)
    }
}
