import Foundation
import Support
import Testing
import WireConfig

@Suite("A download uses the token of the user who requested it", .timeLimit(.minutes(2)))
struct DownloadOwnerTests {
    private static let json = ["Content-Type: application/json", "X-Corewire: 1"]

    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        allow: { secret-in-clear: "these users exist in a test alone" }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: {}
        network: { retries: 0 }
        backends: { issuer: { users: { ada: { password: wonder }, bob: { password: builder } } } }
        background: { downloads: { directory: files }, retry: { min: 100ms, max: 1s } }
        api: { socket: auto }

        """

    private static func download(_ id: String, _ runner: RunningRunner) async throws -> JSONValue {
        try JSONValue(parsing: try await runner.ask("GET", "/v1/downloads/\(id)").body, named: "download")
    }

    /// What the echo says of the token that goes along now.
    private static func token(_ runner: RunningRunner) async throws -> String? {
        let answer = try await runner.ask("GET", "/v1/network/echo/now", ["X-Corewire: 1"])
        return try JSONValue(parsing: answer.body, named: "echo")["fields"]?["Authorization"]?.string
    }

    @Test("a download waits while another user is signed in, says so, and resumes with its owner")
    func owner() async throws {
        let runner = try await RunningRunner(Self.file)
        try await runner.signIn(as: "bob", "builder")
        let fault = #"{"kind":"status","status":503,"on":"/echo"}"#
        #expect(try await runner.ask("POST", "/v1/backends/faults", Self.json, text: fault).status < 300)
        let wish = #"{"address":"echo/w3","id":"w3","authorization":"user"}"#
        #expect(try await runner.ask("POST", "/v1/downloads", Self.json, text: wish).status == 201)
        #expect(
            try await eventually { try await Self.download("w3", runner)["reason"]?.string?.contains("503") ?? false }
        )
        try await runner.signOut()
        let nobody = try await eventually {
            try await Self.download("w3", runner)["reason"]?.string == "no user is signed in"
        }
        #expect(nobody)
        #expect(try await runner.ask("DELETE", "/v1/backends/faults", Self.json).status < 300)

        try await runner.signIn(as: "ada", "wonder")
        let waits = try await eventually {
            let download = try await Self.download("w3", runner)
            return download["state"]?.string == "waiting"
                && download["reason"]?.string == "the owner of the work is not signed in"
        }
        let seen = try await Self.download("w3", runner).text()
        #expect(waits, "\(seen)")
        let ofAda = try #require(try await Self.token(runner))
        // What carries no token of a user waits for no user.
        let other = #"{"address":"echo/free","id":"free","authorization":"none"}"#
        #expect(try await runner.ask("POST", "/v1/downloads", Self.json, text: other).status == 201)
        #expect(try await eventually { try await Self.download("free", runner)["state"]?.string == "done" })
        #expect(try await Self.download("w3", runner)["state"]?.string == "waiting")

        try await runner.signOut()
        try await runner.signIn(as: "bob", "builder")
        #expect(try await eventually { try await Self.download("w3", runner)["state"]?.string == "done" })
        let path = try #require(try await Self.download("w3", runner)["path"]?.string)
        let fetched = try JSONValue(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: path))), named: "echo")
        let token = try #require(fetched["fields"]?["Authorization"]?.string)
        #expect(token != ofAda)
        let now = try await Self.token(runner)
        #expect(token == now)
        #expect(try await runner.stop() == 0)
    }

    @Test("a download carries no token that the requesting app may not use")
    func rights() async throws {
        let sections = """
            allow: { secret-in-clear: "these users and apps exist in a test alone" }
            auth: { flow: password, username: ada, password: wonder }
            network: { retries: 0 }
            backends: { issuer: { users: { ada: { password: wonder } } } }
            background: { downloads: { directory: files } }

            """
        let apps = """
            apps:
              poor: { token: "pppppppppppppppppppppppppppppppp-app" }
              rich: { token: "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr-app", tokens: [user] }
            """
        let address = try await LoopbackAddress.open(apps, sections: sections)
        let runner = address.runner
        #expect(try await eventually { try runner.corewire(["auth", "token"]).status == 0 })
        for (app, letter, authorization) in [
            ("rich", "r", "user"), ("poor", "p", "user"), ("usual", "p", "usual"), ("none", "p", "none"),
        ] {
            let fields = LoopbackAddress.rights(String(repeating: letter, count: 32) + "-app") + [Self.json[0]]
            let wish = #"{"address":"echo/\#(app)","id":"\#(app)","authorization":"\#(authorization)"}"#
            #expect(try await address.ask("POST", "/v1/downloads", fields, text: wish).status == 201)
        }
        for app in ["rich", "none"] {
            #expect(try await eventually { try await Self.download(app, runner)["state"]?.string == "done" })
        }
        for app in ["poor", "usual"] {
            #expect(try await eventually { try await Self.download(app, runner)["state"]?.string == "failed" })
            let reason = try await Self.download(app, runner)["reason"]?.string
            #expect(reason == "the caller has no right to tokens of mode 'user'; see api.apps")
        }
        #expect(try await runner.stop() == 0)
    }
}
