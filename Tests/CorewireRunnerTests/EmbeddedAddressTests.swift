import Foundation
import Glibc
import Support
import Testing

/// A server of the file that hears of every connection, and that nothing of an embedded environment may speak to.
private final class SilentServer {
    private let descriptor: Int32
    let port: Int

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isOpen else { throw POSIXError(.EADDRNOTAVAIL) }
        (self.descriptor, port) = (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    deinit { close(descriptor) }

    /// Whether anything has connected: the kernel keeps the connection until it is taken.
    var wasSpokenTo: Bool {
        let connection = accept(descriptor, nil, nil)
        if connection >= 0 { close(connection) }
        return connection >= 0
    }
}

@Suite("Servers of the file, in an embedded environment")
struct EmbeddedAddressTests {
    /// A file of several environments, with the addresses where every file has them: at the top.
    private static func file(_ server: String) -> String {
        """
        version: 1
        app: { id: com.example.tasks, name: Tasks, version: 1.4.0 }
        environment: dev
        environments:
          dev: { backend: embedded }
          prod: { baseUrl: "\(server)/base", push: { tokens: { apns: app } } }
        baseUrl: \(server)/base
        auth:
          provider: auth0
          url: \(server)/auth
          flow: password
          username: ada
          password: wonder
          clientIds: { dev: tasks-dev, prod: tasks }
        network: { proxy: "\(server)" }
        background: { tasks: { nightly: { every: 1h, request: { url: "\(server)/nightly", method: POST } } } }
        device: { url: "\(server)/device", activityUrl: "\(server)/activity" }
        content: { url: "\(server)/content", modules: { news: { name: News } } }
        push:
          providers: [apns]
          registrars:
            ups: { type: unifiedPush, url: "\(server)/ups", variantId: v, variantSecret: hush }
            crm: { type: altcraft, url: "\(server)/crm", rToken: role }
            health: { type: healthCloud, path: "\(server)/health/notifications", apiKey: hush }
            halo: { type: halo, activityUrl: "\(server)/told" }
            own: { type: rest, url: "\(server)/own", register: { body: "{}" } }
        notifications:
          permission: granted
          handlers: { tell: { on: presentable, post: "\(server)/hook" } }
        security: { baseline: false, rules: { appVersion: { url: "\(server)/security", action: block } } }
        metrics: { url: "\(server)/metrics" }
        backends: { issuer: { users: { ada: { password: wonder } } } }
        api: { socket: auto }

        """
    }

    @Test(
        "everything works with the embedded servers, and the servers of the file get no request",
        .timeLimit(.minutes(1))
    )
    func everything() async throws {
        let server = try SilentServer()
        let runner = try await RunningRunner(Self.file("http://127.0.0.1:\(server.port)"))
        func said(_ words: String...) -> String { (try? runner.corewire(words))?.everything ?? "" }
        #expect(try await eventually { try runner.corewire(["auth", "token"]).status == 0 })
        #expect(said("auth", "status").contains("signed in"))
        #expect(await eventually { !said("backends", "metrics").isEmpty })
        #expect(
            await eventually {
                let lines = said("push", "status").split(separator: "\n")
                return lines.count { $0.contains("registered") } == 5
            },
            "\(said("push", "status"))"
        )
        #expect(await eventually { said("device", "show").contains("registered since") }, "\(said("device", "show"))")
        #expect(said("tasks", "run", "nightly").contains("requested"))
        #expect(try runner.corewire(["notifications", "send", "--via", "ups", "News"]).status == 0)
        #expect(
            await eventually { said("request", "inbox").contains("News") },
            "\(said("request", "inbox")) \(said("notifications", "list"))"
        )
        #expect(!server.wasSpokenTo)
        #expect(try await runner.stop() == 0)
    }

    @Test("the first file of the README signs in at the embedded identity server, without a network")
    func readme() async throws {
        let readme = try String(contentsOf: Repository.root.appendingPathComponent("README.md"), encoding: .utf8)
        let file = try #require(readme.components(separatedBy: "```yaml\n").dropFirst().first).components(
            separatedBy: "```"
        )[0]
        #expect(file.contains("url: https://sso.example.com"))
        let runner = try await RunningRunner(file + "api: {}\n")
        let type = "Content-Type: application/json"
        let answer = try await runner.ask("POST", "/v1/auth/login", [type], text: "{}")
        #expect(answer.status == 202, "\(answer.text)")
        #expect(
            answer.text.contains("http://127.0.0.1:") || answer.text.contains(#"http:\/\/127.0.0.1:"#),
            "\(answer.text)"
        )
        #expect(try await runner.stop() == 0)
    }

    @Test("the embedded servers stop with their environment, even if all environments set the same")
    func left() async throws {
        let server = try SilentServer()
        let text = """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded }, qa: { baseUrl: "http://127.0.0.1:\(server.port)" } }
            network: { retries: 0, timeout: 5s }
            backends: { seed: 2 }
            api: { socket: auto }

            """
        let runner = try await RunningRunner(text)
        #expect(try await runner.ask("GET", "/v1/network/echo").status == 200)
        let switched = try runner.corewire(["env", "use", "qa"])
        #expect(switched.status == 0, "\(switched.everything)")
        #expect(try await runner.ask("GET", "/v1/backends").status != 200)
        #expect(try runner.corewire(["status"]).output.contains("inert"))
        #expect(try runner.corewire(["env", "use", "dev"]).status == 0)
        #expect(try await runner.ask("GET", "/v1/network/echo").status == 200)
        #expect(try await runner.stop() == 0)
    }

    @Test("a server without an embedded replacement is rejected with its line, and the runner does not start")
    func refused() throws {
        let home = try TemporaryFolder()
        let text = """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded }, prod: { baseUrl: "https://api.example.com" } }
            notifications:
              streams: { desk: { url: "https://api.example.com/events" } }

            """
        try home.write(text, to: "a.yaml")
        let path = home.url.appendingPathComponent("a.yaml").path
        let checked = try Program.corewire(["validate-config", path])
        #expect(checked.status == 1)
        #expect(checked.output.contains("error[CW0312]") && checked.output.contains("a.yaml:6:"))
        #expect(checked.output.contains("set environments.dev.notifications.streams.desk.url to"))
        try home.write(
            text.replacingOccurrences(
                of: "{ backend: embedded }",
                with: "{ backend: embedded, notifications: { streams: { desk: null } } }"
            ),
            to: "a.yaml"
        )
        #expect(try Program.corewire(["validate-config", path]).status == 0)
    }
}
