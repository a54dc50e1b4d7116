import Foundation
import Support
import Testing

@Suite("Access to the socket")
struct SocketAccessTests {
    static let isRoot = geteuid() == 0 && Program.isInstalled("setpriv")
    /// A user who is nobody's: it has no name and is in no group.
    static let stranger = 54_321
    static let strangersGroup = 54_322

    static func file(_ access: String) -> String {
        "version: 1\napp: { id: com.example.tasks }\npersistence: {}\napi:\n  socket: auto\n\(access)"
    }

    /// What another user is answered, by its status; 0 where the socket does not let it in.
    static func ask(_ runner: RunningRunner, _ method: String, _ path: String, group: Int = 54_323) throws -> Int {
        // The test's folders above the app's are closed to others.
        var folder = URL(fileURLWithPath: runner.socket).deletingLastPathComponent().deletingLastPathComponent()
        while folder.path.count > FileManager.default.temporaryDirectory.path.count {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
            folder.deleteLastPathComponent()
        }
        let run = try Program.run(
            "setpriv",
            [
                "--reuid", "\(stranger)", "--regid", "\(group)", "--clear-groups", "curl", "--silent", "--output",
                "/dev/null", "--write-out", "%{http_code}", "--unix-socket", runner.socket, "-X", method,
                "http://localhost\(path)",
            ]
        )
        return Int(run.output) ?? -1
    }

    @Test("the runner's user has full rights, and no web page can use the socket")
    func own() async throws {
        let runner = try await RunningRunner(Self.file(""))
        #expect(try await runner.ask("GET", "/v1/status").status == 200)
        #expect(try await runner.ask("PUT", "/v1/state/a/k", text: "x").status == 201)
        #expect(try await runner.ask("POST", "/v1/reload").status == 200)
        for field in ["Origin: http://localhost", "Origin: null", "Referer: http://localhost/"] {
            for (method, path) in [("GET", "/v1/status"), ("GET", "/livez"), ("PUT", "/v1/state/a/new")] {
                let answer = try await runner.ask(method, path, [field], body: method == "PUT" ? [1] : nil)
                #expect(answer.status == 403, "\(field)")
                #expect(answer.isProblem)
            }
        }
        #expect(try await runner.ask("GET", "/v1/state/a/new").status == 404)
        let mode = try FileManager.default.attributesOfItem(atPath: runner.socket)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test(
        "another user has the rights of 'api.access'",
        .enabled(if: isRoot),
        arguments: [
            ("", 0, 0, 0, 0),
            ("  access: { read: { users: [12345] } }\n", 200, 403, 403, 403),
            ("  access: { read: { users: [54321] } }\n", 200, 200, 403, 403),
            ("  access: { read: { groups: [54322] } }\n", 200, 200, 403, 403),
            ("  access: { read: { anyone: true } }\n", 200, 200, 403, 403),
            ("  access: { write: { users: [54321] } }\n", 200, 200, 201, 200),
            ("  access: { write: { groups: [54322] } }\n", 200, 200, 201, 200),
            ("  access: { write: { anyone: true } }\n", 200, 200, 201, 200),
            ("  access: { read: { users: [54321] }, write: { users: [12345] } }\n", 200, 200, 403, 403),
        ]
    )
    func others(access: String, health: Int, reading: Int, writing: Int, administering: Int) async throws {
        let runner = try await RunningRunner(Self.file(access))
        let group = Self.strangersGroup
        #expect(try Self.ask(runner, "GET", "/livez", group: group) == health)
        #expect(try Self.ask(runner, "GET", "/v1/status", group: group) == reading)
        #expect(try Self.ask(runner, "PUT", "/v1/state/a/k", group: group) == writing)
        #expect(try Self.ask(runner, "POST", "/v1/reload", group: group) == administering)
        #expect(try await runner.ask("GET", "/v1/state/a/k").status == (writing == 201 ? 200 : 404))
    }
}
