import Foundation
import Support
import Testing
import WireConfig

@Suite("Clearing all data of a user", .timeLimit(.minutes(3)))
struct ClearTests {
    private static let canary = "canary-77b1c9"

    /// What stands for the world outside: it keeps its own store.
    private static func world(_ folder: TemporaryFolder) throws -> String {
        try folder.write(
            """
            module: News
            fields: { title: text }
            instances: { first: { name: First, values: { title: "\(canary)-content" } } }

            """,
            to: "content/news.yaml"
        )
        try folder.write("\(canary)-file", to: "files/report.txt")
        return """
            version: 1
            app: { id: com.example.world }
            allow: { secret-in-clear: "these users exist in a test alone" }
            environments: { dev: { backend: embedded } }
            environment: dev
            auth: { provider: keycloak, policy: anonymous, realm: tasks, clientId: tasks, redirectUri: "com.example.tasks://x" }
            network: {}
            background: {}
            content: {}
            push:
              registrars: { health: { type: healthCloud, path: notifications, apiKey: known } }
            backends:
              content: { directory: content }
              files: { directory: files }
              issuer:
                signIn: automatic
                users:
                  \(canary)-ada: { name: \(canary)-name, email: \(canary)@example.com, password: wonder }
            api: {}

            """
    }

    private static func device(_ base: String) -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        allow: { secret-in-clear: "this key is for a test alone" }
        environments: { prod: { baseUrl: "\(base)" } }
        environment: prod
        auth:
          url: "\(base)"
          provider: keycloak
          realm: tasks
          policy: authentication
          clientIds: { prod: tasks }
          redirectUri: "com.example.tasks://x"
          scopes: [openid, profile, email, offline_access]
          lock: { after: 10m, method: pin }
        network: { offlinePolicy: loadAndStoreLocalData }
        background: { downloads: { directory: downloads } }
        device: { alias: cart-17, register: onRequest }
        content: { modules: { news: { name: News } } }
        push:
          tokens: { apns: app }
          registrars: { health: { type: healthCloud, path: notifications, apiKey: known } }
        notifications:
          permission: granted
          handlers:
            keep: { on: presentable, state: { namespace: alerts, key: "{{ title }}", value: "{{ body }}" } }
            show: { on: presentable, present: [banner, list] }
        persistence: { namespaces: { maps: { of: device } } }
        api: {}

        """
    }

    private static func json(_ run: Run) throws -> JSONValue {
        try JSONValue(parsing: Array(run.output.utf8), named: "answer")
    }

    /// Looks again and again, as a person would.
    private static func until(_ isSo: () throws -> Bool) throws -> Bool {
        for _ in 0..<300 where try isSo() { return true }
        return false
    }

    /// The files below the folder of a runner that have a text in them, as it is or in base64.
    private static func hits(_ home: TemporaryFolder, _ texts: [String]) throws -> [String] {
        let root = home.url.appendingPathComponent("state")
        let names = try FileManager.default.subpathsOfDirectory(atPath: home.url.path)
            .filter { !$0.hasSuffix(".log") && !$0.hasSuffix(".out") && !$0.hasSuffix(".yaml") }
        #expect(names.contains { $0.hasSuffix("state.db") }, "\(root.path)")
        return names.filter { name in
            let path = home.url.appendingPathComponent(name).path
            guard let bytes = FileManager.default.contents(atPath: path) else { return false }
            return texts.contains { text in
                bytes.range(of: Data(text.utf8)) != nil
                    || bytes.range(of: Data(Data(text.utf8).base64EncodedString().utf8).dropLast(4)) != nil
            } || texts.contains { name.contains($0) }
        }
    }

    @Test("data written by the built programs is cleared from all files; shared data stays")
    func everything() async throws {
        let outside = try TemporaryFolder()
        let world = try await RunningRunner(Self.world(outside), app: "com.example.world", in: outside)
        let told = try Self.json(world.corewire(["backends", "status", "--format", "json"]))
        let base = try #require(told["baseUrl"]?.string, "\(told.text())")
        let runner = try await RunningRunner(Self.device(base))
        func corewire(_ arguments: String..., input: String? = nil) throws -> Run {
            try runner.corewire(arguments, input: input.map { Data($0.utf8) })
        }
        func well(_ run: Run) { #expect(run.status == 0, "\(run.everything)") }
        let json = ["Content-Type: application/json", "X-Corewire: 1"]
        let plain = ["Content-Type: text/plain", "X-Corewire: 1"]

        // Somebody signs in; the page does it by itself.
        let begun = try await runner.ask("POST", "/v1/auth/login", json, text: #"{"flow":"browser"}"#)
        let page = try #require(try JSONValue(parsing: begun.body, named: "answer")["url"]?.string)
        let redirect = try Program.run("/usr/bin/curl", ["-s", "-D", "-", "-o", "/dev/null", page]).output
        let line = try #require(redirect.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Location: ") })
        let callback = #"{"url":"\#(line.dropFirst(10))"}"#
        _ = try await runner.ask("POST", "/v1/auth/callback", json, text: callback)
        #expect(try Self.until { try corewire("auth", "status", "--format", "json").output.contains("signedIn") })
        let token = try Self.json(try corewire("auth", "token", "--format", "json"))["token"]?.string ?? ""

        // Everything is filled.
        well(try corewire("push", "token", "set", "apns", input: String(repeating: "c4", count: 32)))
        #expect(try Self.until { try corewire("push", "status", "--format", "json").output.contains("\"registered\"") })
        well(
            try corewire("notifications", "send", "\(Self.canary)-title", "\(Self.canary)-body", "--id", "n1", "--wait")
        )
        for namespace in ["drafts", "maps"] {
            let text = "\(Self.canary)-\(namespace)"
            _ = try await runner.ask("PUT", "/v1/state/\(namespace)/\(text)", plain, text: text)
        }
        let posted = #"{"method":"POST","path":"nowhere/\#(Self.canary)","json":{"text":"\#(Self.canary)"}}"#
        _ = try await runner.ask("POST", "/v1/outbox", json, text: posted)
        _ = try await runner.ask("GET", "/v1/network/files/report.txt", ["X-Corewire: 1"])
        let wanted = #"{"address":"files/report.txt","id":"\#(Self.canary)"}"#
        _ = try await runner.ask("POST", "/v1/downloads", json, text: wanted)
        #expect(try Self.until { try corewire("downloads", "list", "--format", "json").output.contains("\"done\"") })
        _ = try await runner.ask("POST", "/v1/content/sync", json, text: "{}")
        _ = try await runner.ask("PUT", "/v1/device/tags/nurse", json, text: #"{"value":"\#(Self.canary)"}"#)
        #expect(try !Self.hits(runner.home, [Self.canary]).isEmpty, "a search that finds")

        // It goes, and says what it was.
        let cleared = try corewire("clear", "user", "--format", "json")
        well(cleared)
        let services = try #require(try Self.json(cleared)["services"]?.array)
        #expect(
            services.compactMap { $0["service"]?.string } == [
                "auth", "content", "device", "notifications", "push", "background", "network", "persistence", "store",
            ]
        )
        func count(_ service: String, _ what: String) -> Int? {
            services.first { $0["service"]?.string == service }?["removed"]?.array?
                .first { $0["what"]?.string == what }?["count"]?.integer
        }
        #expect(count("auth", "sessions with their tokens") == 1)
        #expect(count("notifications", "notifications in the list") == 1)
        #expect(count("push", "registrations ended at their servers") == 1)
        #expect(count("persistence", "stored values") == 2 && count("network", "entries of the HTTP cache") ?? 0 > 0)
        #expect(count("content", "copies of modules") == 1 && count("device", "tags of the device") == 1)
        #expect(count("background", "downloaded files") == 1)
        #expect(count("store", "copies of earlier store versions") == 0)

        // Nothing is left, while it runs and after; what is the device's is there.
        let mine = try await runner.ask("GET", "/v1/state/maps/\(Self.canary)-maps")
        #expect(mine.status == 200)
        _ = try await runner.ask("DELETE", "/v1/state/maps/\(Self.canary)-maps", ["X-Corewire: 1"])
        well(try corewire("clear", "user", "--service", "persistence"))
        let texts = [Self.canary, token].filter { !$0.isEmpty }
        #expect(try Self.hits(runner.home, texts) == [])
        #expect(try corewire("auth", "status", "--format", "json").output.contains("signedOut"))
        let again = try corewire("clear", "user")
        well(again)
        #expect(again.output == "nothing to remove\n", "\(again.output)")
        try await runner.stop()
        #expect(try Self.hits(runner.home, texts) == [])
        // The servers built in are what is outside: they are as they were.
        well(try world.corewire(["clear", "all"]))
        #expect(try !Self.hits(outside, [Self.canary]).isEmpty)
        try await world.stop()
    }

    /// Servers built in, a user who signs in by password, and a device that a HALO server is told of.
    private static let small = """
        version: 1
        app: { id: com.example.tasks }
        allow: { secret-in-clear: "this user exists in a test alone" }
        environments: { dev: { backend: embedded } }
        environment: dev
        auth: { flow: password, username: ada, password: wonder }
        backends: { issuer: { users: { ada: { password: wonder } } } }
        device: { tags: { a: b } }
        push: { registrars: { halo: { type: halo } } }
        api: {}

        """

    @Test("the HALO device is removed together with its environment", arguments: ["environment", "all"])
    func halo(scope: String) async throws {
        let runner = try await RunningRunner(Self.small)
        #expect(try await eventually { try runner.corewire(["push", "status"]).output.contains("registered") })
        let cleared = try runner.corewire(["clear", scope])
        #expect(cleared.status == 0, "\(cleared.everything)")
        #expect(!cleared.output.contains("not cleared"), "\(cleared.output)")
        #expect(cleared.output.contains("\n  push registrations: 1\n"), "\(cleared.output)")
        #expect(try await runner.stop() == 0)
    }

    @Test("clearing reports success only after the server session has ended")
    func revoked() async throws {
        let runner = try await RunningRunner(
            Self.small.replacing("auth: { flow: password, username: ada, password: wonder }", with: "auth: {}")
        )
        for _ in 0..<4 {
            try await runner.signIn(as: "ada", "wonder")
            let cleared = try runner.corewire(["clear", "user", "--service", "auth"])
            // It would name sessions that the server still has.
            let expected = "auth:\n  sessions with their tokens: 1\n"
            #expect(cleared.status == 0 && cleared.output == expected, "\(cleared.everything)")
        }
        #expect(try await runner.stop() == 0)
    }

    @Test("clearing continues after a kill at any moment", arguments: 0..<4)
    func killed(after step: Int) async throws {
        let file = """
            version: 1
            app: { id: com.example.tasks }
            environments: { dev: { backend: embedded } }
            environment: dev
            background: {}
            network: {}
            notifications: { permission: granted, handlers: { show: { on: presentable, present: [list] } } }
            persistence: {}
            api: {}

            """
        let home = try TemporaryFolder()
        let runner = try await RunningRunner(file, in: home)
        for number in 0..<40 {
            let text = "\(Self.canary)-\(number)"
            let plain = ["Content-Type: text/plain", "X-Corewire: 1"]
            #expect(try await runner.ask("PUT", "/v1/state/drafts/\(text)", plain, text: text).status == 201)
            let json = ["Content-Type: application/json", "X-Corewire: 1"]
            let sent = #"{"id":"n\#(number)","title":"\#(text)"}"#
            #expect(try await runner.ask("POST", "/v1/notifications", json, text: sent).status == 201)
        }
        // It is asked, and not waited for; the more often something else is asked first, the later it is killed.
        let head = "POST /v1/clear HTTP/1.1\r\nHost: localhost\r\nX-Corewire: 1\r\nContent-Type: application/json\r\n"
        let client = try await runner.connect(sending: head + "Content-Length: 16\r\n\r\n{\"scope\":\"user\"}")
        for _ in 0..<(step * 2) { _ = try await runner.ask("GET", "/v1/status") }
        try await runner.kill()
        try? await client.close()
        let next = try await RunningRunner(nil, in: home)
        let cleared = try next.corewire(["clear", "user"])
        #expect(cleared.status == 0, "\(cleared.everything)")
        #expect(try Self.hits(home, [Self.canary]) == [])
        try await next.stop()
    }
}
