import Foundation
import Support

/// The rules for every registrar, checked with the built program against a server that responds as real ones do.
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

    /// A server, a token file, and a runner that uses both.
    struct Bench {
        let registrar: RegistrarCase
        let server: PushServer
        let runner: RunningRunner

        init(_ registrar: RegistrarCase, answers: [PushServer.Answer] = [], _ moods: PushServer.Mood...) async throws {
            self.registrar = registrar
            server = try await PushServer()
            try server.folder.write(token, to: "token")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: server.folder.url.appendingPathComponent("token").path
            )
            if !answers.isEmpty { try server.answer(answers) }
            for mood in moods { try server.be(mood) }
            runner = try await RunningRunner(registrar.file(server))
            if registrar.waitsForSignIn, !moods.contains(.nobody) { try await signIn() }
        }

        /// Signs in, unless that has happened automatically.
        func signIn() async throws {
            let status = try await ask("/v1/auth/login", #"{"flow":"password"}"#)
            try expect(status == 200 || status == 409, "the sign-in failed: \(status)")
        }

        /// The same after a restart of the runner.
        func again() async throws -> Bench {
            let runner = try await RunningRunner(nil, in: runner.home)
            return Bench(registrar: registrar, server: server, runner: runner)
        }

        /// The output of `push status`.
        func shown() throws -> String { try runner.corewire(["push", "status", "it"]).output }

        func state() async throws -> [String: Any] {
            let answer = try await runner.ask("GET", "/v1/push/registrars/it")
            return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
        }

        /// Waits for a state.
        @discardableResult
        func state(_ wanted: String) async throws -> [String: Any] {
            var state: [String: Any] = [:]
            let isSo = try await eventually {
                state = try await self.state()
                return state["state"] as? String == wanted
            }
            try expect(isSo, "it never is \(wanted), but \(state), and has logged \(runner.log.suffix(4_000))")
            return state
        }

        func ask(_ path: String, _ text: String = "{}") async throws -> Int {
            try await runner.ask("POST", path, ["Content-Type: application/json", "X-Corewire: 1"], text: text).status
        }
    }

    package static let rules: [Rule] = [
        Rule(description: "the server gets the token once, and no request after a restart") { registrar in
            let bench = try await Bench(registrar)
            let seen = try await bench.server.seen(1)
            try expect(registrar.tellsToken(seen[0], token), "found \(seen[0])")
            try await bench.state("registered")
            try await bench.runner.stop()
            let later = try await bench.again()
            try await later.state("registered")
            try expect(bench.server.seen.count == 1, "it was told \(bench.server.seen.count) times")
            try await later.runner.stop()
        },
        Rule(description: "a new token is sent with the former one") { registrar in
            let bench = try await Bench(registrar)
            try await bench.state("registered")
            let url = bench.server.folder.url.appendingPathComponent("token")
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(other.utf8))
            try handle.close()
            try expect(try await bench.ask("/v1/push/refresh", "") == 202, "it is not refreshed")
            let seen = try await bench.server.seen(2)
            try expect(registrar.tellsToken(seen[1], other), "found \(seen[1])")
            try expect(registrar.tellsFormer(seen[1], token), "the former token is not in \(seen[1])")
            try await bench.runner.stop()
        },
        Rule(description: "a transient failure is retried: 500, 503, 429 with Retry-After, no connection") {
            registrar in
            for answer in [
                PushServer.Answer(500, "oops"), .init(503), .init(429, "", ["Retry-After": "0"]),
            ] {
                let bench = try await Bench(registrar, answers: [answer])
                let seen = try await bench.server.seen(2)
                try expect(seen[0].status == answer.status && seen[1].status == 200, "found \(seen)")
                try expect(seen.prefix(2).allSatisfy { registrar.tellsToken($0, token) }, "found \(seen)")
                try expect(
                    seen[0].fields["request-id"] == seen[1].fields["request-id"],
                    "the same request has another id"
                )
                try await bench.state("registered")
                try await bench.runner.stop()
            }
            let bench = try await Bench(registrar, .away)
            try await bench.state("pending")
            try bench.server.be(.away, false)
            try await bench.state("registered")
            try await bench.runner.stop()
        },
        Rule(description: "a permanent failure is reported at the line of the file, and retried on request only") {
            registrar in
            let bench = try await Bench(
                registrar,
                answers: [.init(400, "<html>no</html>", ["Content-Type": "text/html"])]
            )
            let failed = try await bench.state("refused")
            try expect((failed["reason"] as? String)?.contains("400") == true, "found \(failed)")
            try expect(!registrar.tellsStatus || failed["status"] as? Int == 400, "found \(failed)")
            let place = (failed["config"] as? [String: Any])?["place"] as? String
            try expect(place?.contains(".yaml:") == true, "no place in \(failed)")
            try expect(bench.server.seen.count == 1, "it was tried again")
            try expect(try await bench.ask("/v1/push/registrars/it/register", "") == 202, "it is not tried again")
            try await bench.state("registered")
            try await bench.runner.stop()
        },
        Rule(
            description:
                "a rejected update is reported beside the registration, with the server's message, until it succeeds"
        ) {
            registrar in
            let bench = try await Bench(registrar)
            try await bench.state("registered")
            let words = #"{"message":"not this kiosk, \#(token)","error_text":"not this kiosk, \#(token)"}"#
            try bench.server.answer(.init(403, words, ["Content-Type": "application/json"]))
            let run = try bench.runner.corewire(["push", "register", "it", "--wait"])
            try expect(run.status == 1, "found \(run)")
            for part in [" refused", "403", "not this kiosk, [redacted]", ".yaml:"] {
                try expect(run.output.contains(part), "no \(part) in \(run.output)")
            }
            let refused = try await bench.state("refused")
            try expect(!registrar.tellsStatus || refused["status"] as? Int == 403, "found \(refused)")
            if registrar.tellsStatus {
                try expect(refused["since"] is Int && refused["refused"] as? String == "register", "found \(refused)")
                try expect(run.output.contains("holds, since"), "found \(run.output)")
            }
            let status = try bench.runner.corewire(["status"]).output
            try expect(status.contains("degraded") && status.contains("not this kiosk"), "found \(status)")
            let metrics = try await bench.runner.ask("GET", "/metrics").text
            try expect(metrics.contains(#"corewire_push_refused{registrar="it"} 1"#), "found \(metrics)")
            let again = try bench.runner.corewire(["push", "register", "it", "--wait"])
            try expect(again.status == 0 && again.output.contains(" registered "), "found \(again)")
            let seen = bench.server.seen
            try expect(seen.count == 3, "it was told \(seen.count) times")
            try expect(Set(seen.map { $0.fields["request-id"] }).count == 3, "found \(seen.map(\.fields))")
            try await bench.runner.stop()
        },
        Rule(description: "a 2xx response of another server is retried, and the reason is reported") {
            registrar in
            for answer in registrar.strange {
                let bench = try await Bench(registrar, answers: Array(repeating: answer, count: 2))
                let seen = try await bench.server.seen(3)
                try expect(Set(seen.map { $0.fields["request-id"] }).count == 1, "found \(seen.map(\.fields))")
                try await bench.state("registered")
                try await bench.runner.stop()
            }
            let bench = try await Bench(registrar, answers: Array(repeating: registrar.strange[0], count: 1_000))
            let isTold = try await eventually {
                let state = try await bench.state()
                let reason = (state["reason"] as? String ?? "") + bench.runner.log
                return state["state"] as? String == "pending"
                    && ["an HTML page", "without the device"].contains(where: reason.contains)
            }
            try expect(isTold, "found no reason in \(bench.runner.log.suffix(2_000))")
            try bench.server.answer()
            try await bench.state("registered")
            try await bench.runner.stop()
        },
        Rule(description: "every successful response of the server is accepted") { registrar in
            for answer in registrar.good {
                let bench = try await Bench(registrar, answers: [answer])
                try await bench.state("registered")
                try expect(bench.server.seen.count == 1, "it was told \(bench.server.seen.count) times")
                try await bench.runner.stop()
            }
        },
        Rule(description: "nothing is sent before the sign-in if the server needs a user") {
            registrar in
            guard registrar.waitsForSignIn else { return }
            let bench = try await Bench(registrar, .nobody)
            let waiting = try await bench.state("pending")
            try expect(waiting["waitsFor"] as? String == "signIn", "found \(waiting)")
            // A restart shows that nothing was about to be sent.
            try await bench.runner.kill()
            let later = try await bench.again()
            try await later.state("pending")
            try expect(bench.server.seen.isEmpty, "it was told \(bench.server.seen)")
            try bench.server.be(.nobody, false)
            try await later.signIn()
            try await later.state("registered")
            try expect(registrar.tellsToken(bench.server.seen[0], token), "found \(bench.server.seen)")
            try await later.runner.stop()
        },
        Rule(description: "a queued request survives a kill, and is delivered once") { registrar in
            let bench = try await Bench(registrar, .away)
            try await bench.state("pending")
            try await bench.runner.kill()
            try bench.server.be(.away, false)
            let later = try await bench.again()
            try await later.state("registered")
            try expect(registrar.tellsToken(bench.server.seen[0], token), "found \(bench.server.seen)")
            try expect(bench.server.seen.count == 1, "it was told more than once: \(bench.server.seen)")
            // The same for a request of a caller that was accepted.
            try bench.server.be(.away)
            try expect(try await later.ask("/v1/push/registrars/it/unsubscribe") == 202, "it is not ended")
            try await later.runner.kill()
            try bench.server.be(.away, false)
            let last = try await bench.again()
            try await last.state("unregistered")
            let ends = bench.server.seen.filter { registrar.ends($0, token) }
            try expect(ends.count == 1, "it was ended \(ends.count) times")
            try await last.runner.stop()
        },
        Rule(description: "a request in progress at a kill is repeated with its id, and no more") {
            registrar in
            let bench = try await Bench(registrar, .silent)
            let first = try await bench.server.seen(1)[0].fields["request-id"]
            // A changed device may have a second request in the queue that replaces the first.
            let made = try await bench.runner.ask("GET", "/v1/outbox").text
            try await bench.runner.kill()
            try bench.server.be(.silent, false)
            let later = try await bench.again()
            try await later.state("registered")
            let seen = bench.server.seen
            try expect(seen.count == 2 && registrar.tellsToken(seen[1], token), "found \(seen)")
            let id = seen[1].fields["request-id"] ?? "none"
            let isOfThem = id == first || made.contains("\"id\":\"\(id)\"")
            try expect(isOfThem, "found \(seen.map(\.fields)), had made \(made)")
            try await later.runner.stop()
        },
        Rule(description: "a registration is ended with its token, and can start again") { registrar in
            let bench = try await Bench(registrar)
            try await bench.state("registered")
            try expect(try await bench.ask("/v1/push/registrars/it/unsubscribe") == 202, "it is not ended")
            try await bench.state("unregistered")
            let seen = try await bench.server.seen(2)
            try expect(registrar.ends(seen[1], token), "found \(seen[1])")
            try expect(try await bench.ask("/v1/push/registrars/it/subscribe") == 202, "it is not begun")
            try await bench.state("registered")
            try expect(registrar.tellsToken(bench.server.seen[2], token), "found \(bench.server.seen[2])")
            try await bench.runner.stop()
        },
        Rule(description: "an open event is reported once, however often it is posted") { registrar in
            guard let push = registrar.push else { return }
            let bench = try await Bench(registrar)
            try await bench.state("registered")
            let body = #"{"event":"open","payload":\#(push)}"#
            for _ in 0..<2 { try expect(try await bench.ask("/v1/push/events", body) == 202, "it is not taken") }
            _ = try await bench.server.seen(2)
            // Later requests have arrived too.
            try expect(try await bench.ask("/v1/push/registrars/it/register", "") == 202, "it is not registered")
            let seen = try await bench.server.seen(3)
            try expect(seen.filter(registrar.tellsOpen).count == 1, "found \(seen.map(\.path))")
            try await bench.runner.stop()
        },
        Rule(
            description:
                "'push status' shows what a registration waits for, its time, and rejections with their line"
        ) {
            registrar in
            let bench = try await Bench(registrar, .away)
            try await bench.state("pending")
            var shown = ""
            let waits = ["the request is queued", "the device is not saved at the server yet"]
            // Before it is posted it does not wait yet.
            let isTold = try await eventually {
                shown = try bench.shown()
                return shown.contains(" pending") && waits.contains(where: shown.contains)
            }
            try expect(isTold, "found \(shown)")
            try bench.server.answer(.init(403))
            try bench.server.be(.away, false)
            try await bench.state("refused")
            shown = try bench.shown()
            for part in [" refused", "403", ".yaml:", "help: run 'corewire push register it' to try again"] {
                try expect(shown.contains(part), "no \(part) in \(shown)")
            }
            try expect(try bench.runner.corewire(["push", "register", "it"]).status == 0, "it is not registered")
            try await bench.state("registered")
            shown = try bench.shown()
            try expect(shown.contains(" registered ") && shown.contains(" apns …a1a1"), "found \(shown)")
            try expect(shown.firstMatch(of: /20\d\d-\d\d-\d\d/) != nil, "no time in \(shown)")
            if registrar.canSuspend {
                for (wish, state) in [("suspend", "suspended"), ("unsuspend", "registered")] {
                    try expect(try bench.runner.corewire(["push", wish, "it"]).status == 0, "no \(wish)")
                    try await bench.state(state)
                    shown = try bench.shown()
                    try expect(shown.contains(" \(state) "), "found \(shown)")
                }
            } else {
                let refused = try bench.runner.corewire(["push", "suspend", "it"])
                try expect(refused.status == 1 && refused.errors.contains(".yaml:"), "found \(refused)")
            }
            try expect(try bench.runner.corewire(["push", "unsubscribe"]).status == 0, "it is not ended")
            try await bench.state("unregistered")
            shown = try bench.shown()
            try expect(shown.contains(" unregistered"), "found \(shown)")
            try await bench.runner.stop()
        },
        Rule(description: "logs, status, events, outbox and metrics contain no key and no token") {
            registrar in
            let bench = try await Bench(registrar, answers: [.init(400, #"{"deviceToken":"\#(token)"}"#)])
            try await bench.state("refused")
            _ = try await bench.ask("/v1/push/registrars/it/register", "")
            try await bench.state("registered")
            _ = try await bench.ask("/v1/push/registrars/it/unsubscribe")
            try await bench.state("unregistered")
            var texts = [bench.runner.log]
            for path in ["/v1/push", "/v1/push/registrars/it", "/v1/status", "/v1/device", "/metrics", "/v1/outbox"] {
                texts.append(String(decoding: try await bench.runner.ask("GET", path).body, as: UTF8.self))
            }
            texts.append(try bench.runner.corewire(["events", "--format", "json"]).output)
            texts.append(try bench.runner.corewire(["push", "status"]).output)
            texts.append(try bench.runner.corewire(["status", "--format", "json"]).output)
            texts.append(try bench.runner.corewire(["outbox", "list", "--format", "json"]).output)
            for id in Set(bench.server.seen.compactMap { $0.fields["request-id"] }) {
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
