import Foundation
import Support
import Testing

@Suite("Rights of tokens")
struct TokenTests {
    static let apps = """
        apps:
          a: { token: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-app", namespaces: [a, shared], access: write }
          b: { token: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-app", namespaces: [b, shared], access: write }
          eye: { token: "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee-app", namespaces: [a], access: read }
          none: { token: "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn-app", access: write }

        """

    static func token(_ app: String) -> String { String(repeating: String(app.prefix(1)), count: 32) + "-app" }

    @Test("without a valid token every request is rejected, wherever the token is written")
    func absent() async throws {
        let address = try await LoopbackAddress.open("limits: { wrongTokens: 1000 }\n")
        let token = LoopbackAddress.token
        for fields in [
            [], ["Authorization: Bearer "], ["Authorization: Bearer"], ["Authorization: Basic \(token)"],
            ["Authorization: \(token)"], ["Authorization: Bearer \(token)x"],
            ["Authorization: Bearer \(token.dropLast())"],
            ["Authorization: Bearer \(token.uppercased())"], ["Authorization: Bearer  \(token)"],
            ["Authorization: Bearer wrong", "Authorization: Bearer \(token)"], ["X-Token: \(token)"],
            ["Cookie: corewire=\(token)"], ["Cookie: token=\(token)"], ["Proxy-Authorization: Bearer \(token)"],
        ] {
            let answer = try await address.ask("GET", "/v1/status", fields)
            #expect(answer.status == 401, "\(fields)")
            #expect(answer.isProblem)
            #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            #expect(!answer.text.contains(token))
        }
        for query in ["access_token", "token", "key", "authorization"] {
            let answer = try await address.ask("GET", "/v1/status?\(query)=\(token)")
            #expect(answer.status == 401, "\(query)")
            #expect(try await address.owner("GET", "/v1/status?\(query)=\(token)").status == 400, "\(query)")
        }
        for scheme in ["Bearer", "bearer", "BEARER"] {
            #expect(try await address.ask("GET", "/v1/status", ["Authorization: \(scheme) \(token)"]).status == 200)
        }
    }

    @Test("too many wrong tokens get 429, while valid tokens and public routes work")
    func tooMany() async throws {
        let address = try await LoopbackAddress.open("limits: { wrongTokens: 3 }\n")
        for _ in 0..<3 {
            #expect(try await address.ask("GET", "/v1/status", ["Authorization: Bearer wrong"]).status == 401)
        }
        for _ in 0..<2 {
            let answer = try await address.ask("GET", "/v1/status", ["Authorization: Bearer wrong"])
            #expect(answer.status == 429)
            #expect(answer.isProblem)
            #expect(answer["Retry-After"] == "60")
            // Any account of this machine can send wrong ones; the right one is never kept out by them.
            #expect(try await address.owner("GET", "/v1/status").status == 200)
        }
        #expect(try await address.ask("GET", "/livez").status == 200)
        #expect(try await address.runner.ask("GET", "/v1/status").status == 200)
    }

    @Test(
        "after a minute wrong tokens get 401 again, up to the same limit",
        .enabled(if: MovedClock.isPossible)
    )
    func recovery() async throws {
        let clock = try MovedClock()
        let address = try await LoopbackAddress.open(
            "limits: { wrongTokens: 3 }\n",
            environment: clock.environment
        )
        func status(_ token: String) async throws -> Int {
            try await address.ask("GET", "/v1/status", ["Authorization: Bearer \(token)"]).status
        }
        for minutes in 1...3 {
            for _ in 0..<3 { #expect(try await status("wrong") == 401) }
            #expect(try await status("wrong") == 429)
            #expect(try await status(LoopbackAddress.token) == 200)
            // What was waited beyond the first of these minutes gives no further guesses.
            try clock.move(to: minutes * minutes * 61)
        }
    }

    @Test(
        "an app can use its own and shared namespaces only",
        arguments: ["a", "b", "eye", "none"]
    )
    func namespaces(app: String) async throws {
        let address = try await LoopbackAddress.open(Self.apps)
        let mine: Set<String> =
            switch app {
            case "a": ["a", "shared"]
            case "b": ["b", "shared"]
            case "eye": ["a"]
            default: []
            }
        for namespace in ["a", "b", "shared", "other"] {
            #expect(try await address.owner("PUT", "/v1/state/\(namespace)/k", text: namespace).status == 201)
        }
        let rights = LoopbackAddress.rights(Self.token(app))
        let mayWrite = app != "eye"
        for namespace in ["a", "b", "shared", "other", "%61", "a%2F..%2Fb"] {
            let isMine = mine.contains(namespace) || namespace == "%61" && mine.contains("a")
            // By its other name it may have been emptied already.
            if namespace == "%61" { _ = try await address.owner("PUT", "/v1/state/a/k", text: "a") }
            for (method, path, status) in [
                ("GET", "/v1/state/\(namespace)/k", 200), ("HEAD", "/v1/state/\(namespace)/k", 200),
                ("GET", "/v1/state/\(namespace)", 200), ("PUT", "/v1/state/\(namespace)/new", 201),
                ("DELETE", "/v1/state/\(namespace)/new", 204), ("DELETE", "/v1/state/\(namespace)", 200),
            ] {
                let answer = try await address.ask(method, path, rights, text: method == "PUT" ? "x" : nil)
                let isWrite = method == "PUT" || method == "DELETE"
                let isAllowed = isMine && (mayWrite || !isWrite)
                #expect(answer.status == (isAllowed ? status : 403), "\(app): \(method) \(path)")
            }
        }
        let listed = try await address.ask("GET", "/v1/state", rights)
        #expect(listed.status == 200)
        for namespace in ["a", "b", "shared", "other"] where !mine.contains(namespace) {
            #expect(!listed.text.contains("\"\(namespace)\""), "\(app) sees \(namespace)")
            #expect(try await address.owner("GET", "/v1/state/\(namespace)/k").text == namespace, "\(app) changed it")
        }
    }

    @Test("an app cannot use operations of the runner", arguments: ["a", "eye", "none"])
    func administration(app: String) async throws {
        let address = try await LoopbackAddress.open(Self.apps)
        let rights = LoopbackAddress.rights(Self.token(app)) + ["Content-Type: application/json"]
        for (method, path, body) in [
            ("PUT", "/v1/environment", "{\"environment\":\"test\"}"), ("POST", "/v1/reload", "{}"),
            ("POST", "/v1/plan", "{}"), ("POST", "/v1/confirm", "{}"), ("POST", "/v1/generations/1/rollback", "{}"),
            ("POST", "/v1/console/link", nil),
        ] {
            let answer = try await address.ask(method, path, rights, text: body)
            #expect(answer.status == 403, "\(path)")
            #expect(answer.isProblem)
        }
        #expect(try await address.owner("GET", "/v1/status").text.contains("\"generation\":1"))
    }

    @Test("the generated token file is readable by its user only")
    func ownToken() async throws {
        let runner = try await RunningRunner(
            "version: 1\napp: { id: com.example.tasks }\napi: { listen: \"127.0.0.1:0\" }\n"
        )
        let address = try await LoopbackAddress(runner)
        let path = URL(fileURLWithPath: runner.socket).deletingLastPathComponent().appendingPathComponent("api-token")
        let mode = try FileManager.default.attributesOfItem(atPath: path.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let token = try String(contentsOf: path, encoding: .utf8).trimmingCharacters(in: .newlines)
        #expect(token.count == 64)
        #expect(try await address.ask("GET", "/v1/status", ["Authorization: Bearer \(token)"]).status == 200)
        // A reload keeps it: programs have read it.
        _ = try await runner.reload(
            "version: 1\napp: { id: com.example.tasks, name: T }\napi: { listen: \"127.0.0.1:0\" }\n"
        )
        let now = try String(contentsOf: path, encoding: .utf8).trimmingCharacters(in: .newlines)
        #expect(now == token)
    }

    @Test(
        "a token file readable by others is rejected with its line",
        arguments: [0o644, 0o640, 0o604]
    )
    func readableByOthers(mode: Int) async throws {
        let home = try TemporaryFolder()
        try home.write("\(LoopbackAddress.token)\n", to: "tokens")
        let path = home.url.appendingPathComponent("tokens").path
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let file = "version: 1\napp: { id: com.example.tasks }\napi:\n  listen: 127.0.0.1:0\n  tokenFile: tokens\n"
        let failure = await #expect(throws: RunningRunner.Failure.self) {
            _ = try await RunningRunner(file, in: home)
        }
        let said = failure?.description ?? ""
        #expect(said.contains("com.example.tasks.yaml:5:14"), "\(said)")
        #expect(said.contains("tokens"))
        #expect(!said.contains(LoopbackAddress.token))
    }
}
