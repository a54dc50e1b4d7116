import Foundation
import Support

/// The rules every registrar keeps, proven by the built program against a server that answers what real ones do.
package enum PushConformance {
    package struct Broken: Error, CustomStringConvertible {
        package let description: String
    }

    package struct Rule: Sendable, CustomStringConvertible {
        package let description: String
        let check: @Sendable (RegistrarCase) async throws -> Void

        package func check(_ registrar: RegistrarCase) async throws {
            do {
                try await check(registrar)
            } catch let broken as Broken {
                throw Broken(description: "\(registrar): \(description): \(broken.description)")
            }
        }
    }

    static let token = String(repeating: "a1", count: 32)
    static let other = String(repeating: "b2", count: 32)

    static func expect(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
        if !isSo { throw Broken(description: what()) }
    }

    /// A server, a token in a file, and a runner that knows both.
    struct Bench {
        let registrar: RegistrarCase
        let server: PushServer
        let runner: RunningRunner

        init(_ registrar: RegistrarCase, answers: [PushServer.Answer] = [], away: Bool = false) async throws {
            self.registrar = registrar
            server = try await PushServer()
            try server.folder.write(token, to: "token")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: server.folder.url.appendingPathComponent("token").path
            )
            for answer in answers { try server.answer(answer) }
            if away { try server.be(away: true) }
            runner = try await RunningRunner(registrar.file(server))
        }

        func state() async throws -> [String: Any] {
            let answer = try await runner.ask("GET", "/v1/push/registrars/it")
            return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
        }

        /// Waits until it stands so.
        @discardableResult
        func state(_ wanted: String) async throws -> [String: Any] {
            while true {
                let state = try await state()
                if state["state"] as? String == wanted { return state }
                await Task.yield()
            }
        }

        func ask(_ path: String, _ text: String = "{}") async throws -> Int {
            try await runner.ask("POST", path, ["Content-Type: application/json", "X-Corewire: 1"], text: text).status
        }
    }

    package static let rules: [Rule] = [
        Rule(description: "it is told the token once, and nothing anew by a start after that") { registrar in
            let bench = try await Bench(registrar)
            let seen = await bench.server.seen(1)
            try expect(registrar.tellsToken(seen[0], token), "found \(seen[0])")
            try await bench.state("registered")
            try await bench.runner.stop()
            let again = try await RunningRunner(nil, in: bench.runner.home)
            let later = Bench(registrar: registrar, server: bench.server, runner: again)
            try await later.state("registered")
            try expect(bench.server.seen.count == 1, "it was told \(bench.server.seen.count) times")
            try await again.stop()
        },
        Rule(description: "another token is told with the former one") { registrar in
            let bench = try await Bench(registrar)
            try await bench.state("registered")
            let url = bench.server.folder.url.appendingPathComponent("token")
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(other.utf8))
            try handle.close()
            try expect(try await bench.ask("/v1/push/refresh", "") == 202, "it is not refreshed")
            let seen = await bench.server.seen(2)
            try expect(registrar.tellsToken(seen[1], other), "found \(seen[1])")
            try expect(registrar.tellsFormer(seen[1], token), "the former token is not in \(seen[1])")
            try await bench.runner.stop()
        },
        Rule(description: "what passes is tried again: 500, 503, 429 with Retry-After, no connection") { registrar in
            for answer in [
                PushServer.Answer(500, "oops"), .init(503), .init(429, "", ["Retry-After": "0"]),
            ] {
                let bench = try await Bench(registrar, answers: [answer])
                let seen = await bench.server.seen(2)
                try expect(seen[0].body == seen[1].body || seen[0].status != 200, "found \(seen)")
                try expect(
                    seen[0].fields["request-id"] == seen[1].fields["request-id"],
                    "the same request has another id"
                )
                try await bench.state("registered")
                try await bench.runner.stop()
            }
            let bench = try await Bench(registrar, away: true)
            try await bench.state("pending")
            try bench.server.be(away: false)
            try await bench.state("registered")
            try await bench.runner.stop()
        },
        Rule(description: "what does not pass is final, is told at the line of the file, and is tried when asked for") {
            registrar in
            let bench = try await Bench(
                registrar,
                answers: [.init(400, "<html>no</html>", ["Content-Type": "text/html"])]
            )
            let failed = try await bench.state("failed")
            try expect((failed["reason"] as? String)?.contains("400") == true, "found \(failed)")
            let place = (failed["config"] as? [String: Any])?["place"] as? String
            try expect(place?.contains(".yaml:") == true, "no place in \(failed)")
            try expect(bench.server.seen.count == 1, "it was tried again")
            try expect(try await bench.ask("/v1/push/registrars/it/register", "") == 202, "it is not tried again")
            try await bench.state("registered")
            try await bench.runner.stop()
        },
        Rule(description: "an empty 200, a 201, a 204 and a 200 with HTML are well") { registrar in
            for answer in [
                PushServer.Answer(200), .init(201, "{}"), .init(204),
                .init(200, "<html><body>hello</body></html>", ["Content-Type": "text/html"]),
            ] {
                let bench = try await Bench(registrar, answers: [answer])
                try await bench.state("registered")
                try expect(bench.server.seen.count == 1, "it was told \(bench.server.seen.count) times")
                try await bench.runner.stop()
            }
        },
        Rule(description: "what waits survives the end of the process, and arrives") { registrar in
            let bench = try await Bench(registrar, away: true)
            try await bench.state("pending")
            try await bench.runner.kill()
            try bench.server.be(away: false)
            let again = try await RunningRunner(nil, in: bench.runner.home)
            let later = Bench(registrar: registrar, server: bench.server, runner: again)
            try await later.state("registered")
            try expect(registrar.tellsToken(bench.server.seen[0], token), "found \(bench.server.seen)")
            try await again.stop()
        },
        Rule(description: "it is ended with the token it was begun with, and begun again") { registrar in
            let bench = try await Bench(registrar)
            try await bench.state("registered")
            try expect(try await bench.ask("/v1/push/registrars/it/unsubscribe") == 202, "it is not ended")
            try await bench.state("unregistered")
            let seen = await bench.server.seen(2)
            try expect(registrar.ends(seen[1], token), "found \(seen[1])")
            try expect(try await bench.ask("/v1/push/registrars/it/subscribe") == 202, "it is not begun")
            try await bench.state("registered")
            try expect(registrar.tellsToken(bench.server.seen[2], token), "found \(bench.server.seen[2])")
            try await bench.runner.stop()
        },
        Rule(description: "that a push was opened is told once, however often it is said") { registrar in
            guard let push = registrar.push else { return }
            let bench = try await Bench(registrar)
            try await bench.state("registered")
            let body = #"{"event":"open","payload":\#(push)}"#
            for _ in 0..<2 { try expect(try await bench.ask("/v1/push/events", body) == 202, "it is not taken") }
            _ = await bench.server.seen(2)
            // What comes after it in the order of requests has come as well.
            try expect(try await bench.ask("/v1/push/registrars/it/register", "") == 202, "it is not registered")
            let seen = await bench.server.seen(3)
            try expect(seen.filter(registrar.tellsOpen).count == 1, "found \(seen.map(\.path))")
            try await bench.runner.stop()
        },
        Rule(description: "no key and no token is in the log, the status, the events, the outbox or the metrics") {
            registrar in
            let bench = try await Bench(registrar, answers: [.init(400, #"{"deviceToken":"\#(token)"}"#)])
            try await bench.state("failed")
            _ = try await bench.ask("/v1/push/registrars/it/register", "")
            try await bench.state("registered")
            _ = try await bench.ask("/v1/push/registrars/it/unsubscribe")
            try await bench.state("unregistered")
            var texts = [bench.runner.log]
            for path in ["/v1/push", "/v1/status", "/metrics", "/v1/outbox"] {
                texts.append(String(decoding: try await bench.runner.ask("GET", path).body, as: UTF8.self))
            }
            texts.append(try bench.runner.corewire(["events", "--output", "json"]).output)
            texts.append(try bench.runner.corewire(["push", "status"]).output)
            let ids = bench.server.seen.count
            for revision in 1...(ids + 2) {
                let id = "push-it-device-0.0-\(revision)"
                let answer = try await bench.runner.ask("GET", "/v1/outbox/\(id)?content=true")
                texts.append(String(decoding: answer.body, as: UTF8.self))
            }
            for text in texts {
                for secret in registrar.secrets + [token] {
                    try expect(!text.contains(secret), "\(secret) is in \(text.prefix(2_000))")
                }
            }
            try await bench.runner.stop()
        },
    ]
}

extension PushConformance.Bench {
    init(registrar: RegistrarCase, server: PushServer, runner: RunningRunner) {
        (self.registrar, self.server, self.runner) = (registrar, server, runner)
    }
}
