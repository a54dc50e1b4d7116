import Foundation
import Support
import Testing

@Suite("Changes of the section app")
struct AppChangeTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks, version: 1.0.0 }
        environment: dev
        environments: { dev: { backend: embedded } }
        addons:
          one:
            exec: [/bin/sh, -c, 'read hello; echo "$hello" >> hellos; echo "{\\"type\\":\\"ready\\",\\"protocol\\":1}"; cat > /dev/null']
        api: { socket: auto }

        """

    @Test("a new app version is reported everywhere")
    func version() async throws {
        let runner = try await RunningRunner(Self.file)
        let answer = try await runner.reload(Self.file.replacingOccurrences(of: "1.0.0", with: "1.1.0"))
        #expect(answer.status == 200, "\(answer.text)")
        let hellos = try runner.home.text(of: "hellos").split(separator: "\n")
        #expect(hellos.map { $0.contains(#""version":"1.1.0""#) } == [false, true], "\(hellos)")
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "a change of the app or the group is rejected with its line",
        arguments: [
            ("id: com.example.tasks", "id: com.example.other", "app.id was 'com.example.tasks'"),
            ("id: com.example.tasks", "id: com.example.tasks, group: com.example", "app.group was 'com.example.tasks'"),
        ]
    )
    func other(old: String, new: String, reason: String) async throws {
        let runner = try await RunningRunner(Self.file)
        let answer = try await runner.reload(Self.file.replacingOccurrences(of: old, with: new))
        #expect(answer.status == 422, "\(answer.text)")
        let text = answer.text
        #expect(text.contains(reason) && text.contains("com.example.tasks.yaml:2:"), "\(text)")
        #expect(try await runner.ask("GET", "/v1/status").text.contains(#""app":"com.example.tasks""#))
        #expect(try await runner.stop() == 0)
    }
}
