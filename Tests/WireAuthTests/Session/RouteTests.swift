import Foundation
import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireListener
import WireService

@testable import WireAuth

/// The routes of a bench behind a real socket.
final class Counter: Sendable {
    let bench: Bench
    private let listener: HTTPListener
    private let rights: Gatekeeper
    let base: String

    /// What whoever asks may do, as the local API would have found out.
    final class Gatekeeper: Responder {
        private let router: Router
        private let state: Mutex<Rights>

        init(_ routes: [Route], _ rights: Rights) {
            router = Router(routes, accessCheck: { $1.rights.problem(with: $0, $1) })
            state = Mutex(rights)
        }

        func become(_ rights: Rights) { state.withLock { $0 = rights } }

        func exchange(for head: Request) -> Exchange {
            var head = head
            head.rights = state.withLock { $0 }
            return router.exchange(for: head)
        }
    }

    init(_ bench: Bench) throws {
        self.bench = bench
        rights = Gatekeeper(bench.service.routes, .everything("test"))
        listener = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), rights)
        try listener.start()
        guard case .tcp(let host, let port) = listener.endpoint else { throw Bench.Unread() }
        base = "http://\(host):\(port)"
    }

    func become(_ rights: Rights) { self.rights.become(rights) }

    func serving<Value>(_ body: () async throws -> Value) async throws -> Value {
        let (listener, service) = (listener, bench.service)
        let run = Task {
            await withTaskGroup { group in
                group.addTask { await listener.run() }
                group.addTask { try? await service.run() }
            }
        }
        do {
            let value = try await body()
            await listener.stop(within: .seconds(1))
            run.cancel()
            return value
        } catch {
            await listener.stop(within: .seconds(1))
            run.cancel()
            throw error
        }
    }

    struct Answer {
        let status: Int
        let fields: String
        let json: JSONValue
        let text: String
    }

    /// Asks as curl does.
    func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> Answer {
        try await Self.ask(method, base + path, body)
    }

    static func ask(_ method: String, _ url: String, _ body: String? = nil, _ more: [String] = []) async throws
        -> Answer
    {
        var arguments = ["-s", "-i", "-m", "20", "-X", method, url] + more
        if let body { arguments += ["-H", "Content-Type: application/json", "-d", body] }
        let words = arguments
        let run = try await blocking { try Program.run("curl", words) }
        let parts = run.output.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
        let status = parts.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let text = parts.count > 1 ? parts[1] : ""
        let json = (try? JSONValue(parsing: Array(text.utf8), named: "answer")) ?? .null
        return Answer(status: status, fields: parts.first ?? "", json: json, text: text)
    }
}

@Suite("Session routes of the local API", .serialized)
struct RouteTests {
    @Test("a token response has the declared form, and is not cacheable")
    func token() async throws {
        let counter = try await Counter(try Bench())
        try await counter.bench.signIn()
        try await counter.serving {
            let answer = try await counter.ask("GET", "/v1/auth/token?minTTL=30s&mode=user")
            #expect(answer.status == 200)
            #expect(answer.fields.contains("Cache-Control: no-store"))
            #expect(answer.json["accessToken"]?.string == "access-1")
            #expect(answer.json["tokenType"]?.string == "Bearer")
            #expect(answer.json["expiresIn"]?.integer == 300)
            #expect(answer.json["mode"]?.string == "user")
            counter.bench.clock.pass(.seconds(10))
            #expect(try await counter.ask("GET", "/v1/auth/token").json["expiresIn"]?.integer == 290)
            // Not good for so long, so it is renewed while the caller waits.
            let longer = try await counter.ask("GET", "/v1/auth/token?minTTL=299s")
            #expect(longer.json["accessToken"]?.string == "access-1")
            counter.bench.clock.pass(.seconds(200))
            let renewed = try await counter.ask("GET", "/v1/auth/token?minTTL=200s")
            #expect(renewed.json["accessToken"]?.string == "access-2")
            #expect(try await counter.ask("GET", "/v1/auth/token?minTTL=soon").status == 400)
            #expect(try await counter.ask("GET", "/v1/auth/token?mode=app").status == 404)
        }
    }

    @Test("an unavailable token is reported with help")
    func refusals() async throws {
        let counter = try await Counter(try Bench(LockTests.section))
        try await counter.serving {
            let out = try await counter.ask("GET", "/v1/auth/token")
            #expect(out.status == 401)
            #expect(out.json["type"]?.string == "urn:corewire:problem:signed-out")
            // The detail does not repeat the title.
            #expect(out.json["title"]?.string == "no user is signed in")
            #expect(out.json["detail"]?.string == "Sign in first.")
            try await counter.bench.signIn(lifetime: .seconds(86_400))
            #expect(
                try await counter.ask("POST", "/v1/auth/lock", #"{"pin": "1234"}"#).json["state"]?.string == "locked"
            )
            #expect(try await counter.ask("GET", "/v1/auth/token").status == 423)
            #expect(try await counter.ask("GET", "/v1/auth/user").status == 423)
            let wrong = try await counter.ask("POST", "/v1/auth/unlock", #"{"pin": "9999"}"#)
            #expect(wrong.status == 403)
            #expect(wrong.fields.contains("Retry-After: 1"))
            #expect(try await counter.ask("POST", "/v1/auth/unlock", #"{"pin": "1234"}"#).status == 429)
            counter.bench.clock.pass(.seconds(1))
            let open = try await counter.ask("POST", "/v1/auth/unlock", #"{"pin": "1234"}"#)
            #expect(open.json["state"]?.string == "signedIn")
            let user = try await counter.ask("GET", "/v1/auth/user")
            #expect(user.json["name"]?.string == "Ada")
        }
    }

    @Test("without a server and a valid token the response says when to retry")
    func unavailable() async throws {
        let counter = try await Counter(try Bench())
        try await counter.bench.signIn()
        counter.bench.clock.pass(.seconds(301))
        counter.bench.server.script(.fail(SignInFailure(.serverError, "500")))
        try await counter.serving {
            let answer = try await counter.ask("GET", "/v1/auth/token")
            #expect(answer.status == 503)
            #expect(answer.fields.contains("Retry-After: 1"))
            let status = try await counter.ask("GET", "/v1/auth")
            #expect(status.json["state"]?.string == "signedIn")
            #expect(status.json["trouble"]?["kind"]?.string == "serverError")
        }
    }

    @Test("an app gets the tokens that the file allows, and no others")
    func apps() async throws {
        let counter = try await Counter(try Bench())
        try await counter.bench.signIn()
        try await counter.serving {
            counter.become(Rights(access: .write, account: "app kiosk"))
            for (method, path) in [
                ("GET", "/v1/auth/token"), ("GET", "/v1/auth/user"), ("POST", "/v1/auth/login"),
                ("POST", "/v1/auth/logout"), ("POST", "/v1/auth/lock"), ("DELETE", "/v1/auth/login"),
            ] { #expect(try await counter.ask(method, path).status == 403, "\(method) \(path)") }
            let status = try await counter.ask("GET", "/v1/auth")
            #expect(status.status == 200)
            #expect(status.json["session"] == nil)
            counter.become(Rights(access: .read, tokens: TokenRights(modes: ["user"]), account: "app kiosk"))
            #expect(try await counter.ask("GET", "/v1/auth/token").status == 200)
            #expect(try await counter.ask("POST", "/v1/auth/logout").status == 403)
            counter.become(
                Rights(access: .read, tokens: TokenRights(modes: ["user"], scopes: ["openid"]), account: "app kiosk")
            )
            let narrow = try await counter.ask("GET", "/v1/auth/token")
            #expect(narrow.status == 403)
            #expect(narrow.json["detail"]?.string?.contains("'profile'") ?? false)
            counter.become(Rights(access: .read, tokens: TokenRights(modes: ["app"]), account: "app kiosk"))
            #expect(try await counter.ask("GET", "/v1/auth/token").status == 403)
        }
    }

    @Test("a redirect signs in once, and other requests are rejected")
    func browser() async throws {
        let counter = try await Counter(try Bench())
        try await counter.serving {
            let begun = try await counter.ask("POST", "/v1/auth/login")
            #expect(begun.status == 202)
            #expect(begun.json["flow"]?.string == "browser")
            #expect(begun.json["expiresIn"]?.integer == 600)
            let url = try #require(begun.json["url"]?.string)
            // Asked again, it is the same sign-in.
            #expect(try await counter.ask("POST", "/v1/auth/login").json["url"]?.string == url)
            let back = try #require(url.split(separator: "redirect_uri=").last.map(String.init))
            #expect(try await Counter.ask("GET", back + "?state=other&code=x").status == 400)
            #expect(try await Counter.ask("GET", back + "?code=x").status == 400)
            #expect(try await Counter.ask("GET", back + "/other?state=state-1&code=x").status == 404)
            #expect(try await Counter.ask("POST", back + "?state=state-1&code=x").status == 405)
            let rebound = ["-H", "Host: evil.example.com"]
            #expect(try await Counter.ask("GET", back + "?state=state-1&code=x", nil, rebound).status == 404)
            #expect(counter.bench.server.state.withLock { $0.finished }.isEmpty)
            let page = try await Counter.ask("GET", back + "?state=state-1&code=x")
            #expect(page.status == 200)
            #expect(page.text.contains("You are signed in"))
            #expect(page.fields.contains("Referrer-Policy: no-referrer"))
            #expect(page.fields.contains("frame-ancestors 'none'"))
            #expect(counter.bench.server.state.withLock { $0.finished } == [back + "?state=state-1&code=x"])
            #expect(counter.bench.state() == "signedIn")
            // Nobody listens there any more, once the page has been read.
            var isClosed = false
            for _ in 0..<50 where !isClosed {
                isClosed = try await Counter.ask("GET", back + "?state=state-1&code=x").status == 0
            }
            #expect(isClosed)
            #expect(
                try await counter.ask("POST", "/v1/auth/login").json["type"]?.string == "urn:corewire:problem:signed-in"
            )
            let out = try await counter.ask("POST", "/v1/auth/logout")
            #expect(out.json["endSessionUrl"]?.string == "https://sso.example.com/logout")
            #expect(out.json["revoked"]?.boolean == true)
            #expect(out.json["revocation"]?.string == "revoked")
            #expect(try await counter.ask("GET", "/v1/auth").json["reason"]?.string == "user")
        }
    }

    @Test("a blocked user sees the guidance of the file on the page, escaped")
    func blockedPage() async throws {
        let section = Bench.usual + "\nguidance: { blocked: \"Write to <help> & wait.\" }"
        let counter = try await Counter(try Bench(section))
        try await counter.serving {
            let begun = try await counter.ask("POST", "/v1/auth/login")
            let back = try #require(begun.json["url"]?.string?.split(separator: "redirect_uri=").last.map(String.init))
            let page = try await Counter.ask("GET", back + "?state=state-1&error=unauthorized")
            #expect(page.text.contains("Write to &lt;help&gt; &amp; wait."))
            let status = try await counter.ask("GET", "/v1/auth")
            #expect(status.json["state"]?.string == "blocked")
            #expect(status.json["trouble"]?["guidance"]?.string == "Write to <help> & wait.")
            #expect(try await counter.ask("GET", "/v1/auth/token").status == 403)
        }
    }

    @Test("a private-scheme redirect is completed over the local API")
    func callback() async throws {
        let counter = try await Counter(try Bench(Bench.usual + "\nredirectUri: com.example.tasks://restore"))
        try await counter.serving {
            _ = try await counter.ask("POST", "/v1/auth/login")
            let wrong = #"{"url": "com.example.tasks://restore?state=no&code=x"}"#
            #expect(try await counter.ask("POST", "/v1/auth/callback", wrong).status == 409)
            let right = #"{"url": "com.example.tasks://restore?state=state-1&code=x"}"#
            #expect(try await counter.ask("POST", "/v1/auth/callback", right).json["state"]?.string == "signedIn")
        }
    }

    @Test("a device code is shown, polled until consent, and replaces the browser sign-in")
    func device() async throws {
        let bench = try await Bench(Bench.usual + "\nlock: {}")
        let counter = try Counter(bench)
        bench.server.state.withLock {
            $0.polls = [.success(false), .failure(SignInFailure(.offline, "gone")), .success(true)]
            // However much time passes until somebody asks, the code is good.
            $0.codeLifetime = .seconds(1_000_000_000)
        }
        try await counter.serving {
            _ = try await counter.ask("POST", "/v1/auth/login", #"{"flow": "browser"}"#)
            let begun = try await counter.ask("POST", "/v1/auth/login", #"{"flow": "device", "pin": "4321"}"#)
            #expect(begun.json["userCode"]?.string == "ABCD")
            #expect(begun.json["expiresIn"]?.integer == 1_000_000_000)
            #expect(
                await eventually {
                    if bench.state() == "signedIn" { return true }
                    bench.clock.pass(.seconds(5))
                    return false
                }
            )
            #expect(bench.server.state.withLock { $0.polled } == 3)
            // The PIN is kept a moment after the sign-in is told.
            #expect(try await eventually { try await counter.ask("POST", "/v1/auth/lock").status == 200 })
        }
    }

    @Test("an unfinished sign-in times out, and can be cancelled")
    func deadline() async throws {
        let bench = try await Bench()
        let counter = try Counter(bench)
        try await counter.serving {
            #expect(try await counter.ask("DELETE", "/v1/auth/login").status == 404)
            _ = try await counter.ask("POST", "/v1/auth/login")
            #expect(try await counter.ask("DELETE", "/v1/auth/login").status == 204)
            #expect(try await counter.ask("GET", "/v1/auth").json["reason"]?.string == "cancelled")
            _ = try await counter.ask("POST", "/v1/auth/login")
            // Its end is waited for by now, and so is the next look at the tokens.
            #expect(await eventually { bench.clock.sleepers >= 2 })
            bench.clock.pass(.seconds(599))
            #expect(try await counter.ask("GET", "/v1/auth").json["state"]?.string == "signingIn")
            bench.clock.pass(.seconds(1))
            #expect(await eventually { bench.state() == "signedOut" })
            let status = try await counter.ask("GET", "/v1/auth")
            #expect(status.json["reason"]?.string == "failed")
            #expect(status.json["trouble"]?["kind"]?.string == "abandoned")
        }
    }

    @Test("a password is accepted only if the file allows it")
    func password() async throws {
        let counter = try await Counter(try Bench())
        try await counter.serving {
            let body = #"{"flow": "password", "username": "ada", "password": "right"}"#
            let answer = try await counter.ask("POST", "/v1/auth/login", body)
            #expect(answer.status == 409)
            #expect(counter.bench.server.state.withLock { $0.signIns } == 0)
        }
    }
}
