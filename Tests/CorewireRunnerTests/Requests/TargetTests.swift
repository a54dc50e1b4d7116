import Foundation
import Support
import Testing

/// A base URL with a path, and a server that keeps the targets it is asked for byte for byte.
@Suite("Joining a base URL and a path", .timeLimit(.minutes(3)))
struct TargetTests {
    private static let json = ["Content-Type: application/json", "X-Corewire: 1"]

    private static func file(_ base: String, slash: String = "") -> String {
        """
        version: 1
        app: { id: com.example.tasks, version: 1.0.0 }
        allow: { secret-in-clear: "these secrets exist in a test alone" }
        environment: dev
        environments: { dev: { baseUrl: "\(base)" } }
        network: { retries: 0 }
        notifications:
          permission: granted
          handlers: { hook: { on: any, post: \(slash)hook, retries: 0 } }
          streams: { events: { url: \(slash)events }, socket: { url: \(slash)socket, type: webSocket } }
        background:
          retry: { min: 100ms, max: 1s }
          downloads: { directory: files }
          tasks:
            plain: { attempts: 1, request: { url: "\(slash)plain?a=1" } }
            certain: { attempts: 1, request: { url: "\(slash)certain?a=1", mustArrive: true } }
        push:
          providers: [firebase]
          tokens: { firebase: app }
          registrars:
            mine: { type: rest, url: \(slash)devices, register: { path: "/new" } }
            ups: { type: unifiedPush, url: \(slash)ups/, variantId: variant, variantSecret: secret }
        content: { url: \(slash)content, authenticated: false, modules: { news: { name: News } } }
        device: { url: \(slash)device/, authenticated: false }
        api: { socket: auto }

        """
    }

    @Test(
        "a leading slash of the path, and a trailing slash of the base URL, make no difference",
        arguments: ["", "/"],
        ["", "/"]
    )
    func everyWay(slash: String, end: String) async throws {
        let server = try RecordingServer()
        let runner = try await RunningRunner(Self.file("\(server.url)/v2\(end)", slash: slash))
        #expect(try runner.corewire(["request", "\(slash)asked?x=1"]).status == 0)
        #expect(try runner.corewire(["outbox", "post", "\(slash)orders?x=1", "{}"]).status == 0)
        #expect(try runner.corewire(["downloads", "add", "\(slash)file?x=1"]).status == 0)
        for task in ["plain", "certain"] {
            #expect(try await runner.ask("POST", "/v1/tasks/\(task)/run?wait", Self.json, text: "{}").status == 200)
        }
        _ = try await runner.ask("POST", "/v1/notifications", Self.json, text: #"{"id":"n1","title":"t"}"#)
        let token = #"{"token":"provider-token-of-this-device"}"#
        #expect(try await runner.ask("PUT", "/v1/push/tokens/firebase", Self.json, text: token).status < 300)
        let wanted = [
            "GET /v2/asked?x=1", "POST /v2/orders?x=1", "GET /v2/file?x=1", "POST /v2/plain?a=1",
            "POST /v2/certain?a=1", "POST /v2/hook", "GET /v2/events", "GET /v2/socket", "POST /v2/devices/new",
            "POST /v2/ups/rest/registry/device", "POST /v2/device/",
        ]
        for line in wanted {
            let isThere = await eventually { server.asked.contains(line) }
            #expect(isThere, "no \(line) in \(server.asked)")
        }
        #expect(
            await eventually { server.asked.contains { $0.contains(" /v2/content/instance/sync") } },
            "\(server.asked)"
        )
        for line in server.asked { #expect(!line.contains("//") && line.contains(" /v2/"), "\(line)") }
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "an empty path gives the base URL unchanged",
        arguments: [("", "/"), ("/", "/"), ("/v2", "/v2"), ("/v2/", "/v2/")]
    )
    func emptyPath(base: String, target: String) async throws {
        let server = try RecordingServer()
        let runner = try await RunningRunner(Self.file("\(server.url)\(base)"))
        #expect(try await runner.ask("GET", "/v1/network/").status == 200)
        #expect(try await runner.ask("GET", "/v1/network/?q=1").status == 200)
        #expect(try await runner.ask("POST", "/v1/network/", Self.json, text: "{}").status == 200)
        #expect(try runner.corewire(["request", "/"]).status == 0)
        #expect(try runner.corewire(["outbox", "post", "/", "{}"]).status == 0)
        for line in ["GET \(target)", "GET \(target)?q=1", "POST \(target)"] {
            #expect(await eventually { server.asked.contains(line) }, "no \(line) in \(server.asked)")
        }
        #expect(await eventually { server.asked.filter { $0 == "POST \(target)" }.count == 2 }, "\(server.asked)")
        #expect(try await runner.stop() == 0)
    }

    private static let unfit = [
        "a/../b", "a/%2e%2e/b", "a%2f..%2fb", "a/.%2E", "//other/x", "///x", "a b", "a|b", "a{b}", "a\\b", "a%zz.",
        "a#b", "\u{e4}", "a%00", "?a b", "?a\"b", "ftp://127.0.0.1/x", "https:///x", "http://u:p@127.0.0.1/x",
    ]

    @Test("an invalid path is rejected when it is posted, and nothing is stored")
    func neverSent() async throws {
        let server = try RecordingServer()
        let runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            baseUrl: "\(server.url)/v2"
            network: {}
            background: { downloads: { directory: files } }
            api: { socket: auto }

            """
        )
        for path in Self.unfit {
            let quoted = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            let posted = try await runner.ask("POST", "/v1/outbox", Self.json, text: "{\"path\":\"\(quoted)\"}")
            #expect(posted.status == 400, "\(path): \(posted.text)")
            let wanted = try await runner.ask("POST", "/v1/downloads", Self.json, text: "{\"address\":\"\(quoted)\"}")
            #expect(wanted.status == 422, "\(path): \(wanted.text)")
        }
        #expect(try runner.corewire(["outbox", "list"]).output == "no queued requests\n")
        #expect(try await runner.ask("GET", "/v1/downloads").text.contains(#""downloads":[]"#))
        #expect(server.asked.isEmpty)
        #expect(try await runner.stop() == 0)
    }

    @Test("an empty JSON object is accepted by routes without a body")
    func emptyObject() async throws {
        let server = try RecordingServer()
        let runner = try await RunningRunner(Self.file(server.url))
        _ = try await runner.ask("POST", "/v1/downloads", Self.json, text: #"{"address":"x","id":"d1"}"#)
        for path in ["/v1/downloads/d1/pause", "/v1/downloads/d1/resume", "/v1/push/register"] {
            for body in ["{}", " { }\n", ""] {
                let answer = try await runner.ask("POST", path, Self.json, text: body)
                #expect(answer.status < 300, "\(path) \(body): \(answer.text)")
            }
            for body in [#"{"a":1}"#, "[]", "x", "{}{}", String(repeating: " ", count: 100) + "{}"] {
                let answer = try await runner.ask("POST", path, Self.json, text: body)
                #expect(answer.status == 400, "\(path) \(body): \(answer.text)")
            }
        }
        #expect(try await runner.ask("DELETE", "/v1/downloads/d1", Self.json, text: "[1]").status == 400)
        #expect(try await runner.ask("GET", "/v1/downloads/d1").status == 200)
        #expect(try await runner.ask("DELETE", "/v1/downloads/d1", Self.json, text: "{}").status == 204)
        #expect(try await runner.stop() == 0)
    }
}
