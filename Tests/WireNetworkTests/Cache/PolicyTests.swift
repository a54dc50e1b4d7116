import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

@testable import WireNetwork

@Suite("The offline policy")
struct PolicyTests {
    private static let things = "https://api.example.com/things"

    @Test("'none' neither stores nor returns cached responses, set by the file or the request")
    func none() async throws {
        let bench = try CacheBench("offlinePolicy: none")
        bench.serve(200, ["Cache-Control": "max-age=60"], "one")
        #expect(try await bench.ask().fact == "bypass")
        #expect(try await bench.ask(policy: .loadAndStoreLocalData).fact == "miss")
        #expect(try await bench.ask(policy: .loadAndStoreLocalData).word == "hit")
        #expect(try await bench.ask().fact == "bypass")
        bench.fail()
        await #expect(throws: CallFailure.self) { try await bench.ask() }
        #expect(try await bench.ask(policy: .loadAndStoreLocalData).body == "one")
    }

    @Test("'returnLocalDataDontLoad' returns a cached response of any age, and sends nothing")
    func local() async throws {
        let bench = try CacheBench("offlinePolicy: returnLocalDataDontLoad")
        bench.serve(200, ["Cache-Control": "max-age=60"], "one")
        _ = try await bench.ask(policy: .loadAndStoreLocalData)
        _ = bench.asked()
        let fresh = try await bench.ask()
        #expect(fresh.fact == "hit; age=0" && fresh.attempts == 0 && fresh.body == "one")
        bench.clock.pass(.seconds(600))
        let stale = try await bench.ask()
        #expect(stale.fact == "stale; age=600; because=policy" && stale.fields["Age"] == "600")
        #expect(stale.source == .stale(age: .seconds(600)))
        let head = try await bench.ask(.head)
        #expect(head.word == "stale" && head.body.isEmpty)
        #expect(bench.asked().isEmpty)
    }

    @Test("'returnLocalDataDontLoad' fails with the place in the file if nothing is stored")
    func notStored() async throws {
        let bench = try CacheBench("retries: 1\nofflinePolicy: returnLocalDataDontLoad")
        let failure = await #expect(throws: CallFailure.self) { try await bench.ask() }
        guard case .notStored = failure?.kind else { throw Unexpected() }
        #expect(failure?.reason == "no response is stored for this request")
        #expect(failure?.wasNotSent == true)
        #expect(failure?.origin?.path == "network.offlinePolicy")
        #expect(failure?.origin?.place == "file.yaml:5:18")
        let written = await #expect(throws: CallFailure.self) { try await bench.ask(.post) }
        guard case .notStored = written?.kind else { throw Unexpected() }
        #expect(written?.reason == "POST requires the server")
        let own = await #expect(throws: CallFailure.self) { try await bench.ask(policy: .returnLocalDataDontLoad) }
        #expect(own?.origin == nil)
        #expect(bench.asked().isEmpty)
    }

    @Test("a response that requires validation is not returned without it, and the failure says so")
    func forbidden() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Cache-Control": "max-age=60, must-revalidate"], "one")
        _ = try await bench.ask()
        bench.clock.pass(.seconds(60))
        bench.fail()
        let offline = await #expect(throws: CallFailure.self) { try await bench.ask() }
        guard case .offline = offline?.kind else { throw Unexpected() }
        #expect(offline?.reason.hasPrefix("it cannot be reached; ") == true)
        #expect(offline?.reason.contains("must-revalidate") == true)
        let local = await #expect(throws: CallFailure.self) { try await bench.ask(policy: .returnLocalDataDontLoad) }
        guard case .notStored = local?.kind else { throw Unexpected() }
        #expect(local?.reason.contains("must-revalidate") == true)
        bench.serve(503, [:], "sorry")
        let error = try await bench.ask()
        #expect(error.status == 503 && error.body == "sorry" && error.fact == "miss")
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        let kind: CallFailure.Kind
        let word: String?
        var testDescription: String { "\(kind)" }
    }

    static let troubles: [Trouble] =
        [
            Trouble(kind: .offline, word: "offline"), Trouble(kind: .timeout, word: "timeout"),
            Trouble(kind: .resting, word: "resting"), Trouble(kind: .busy, word: "busy"),
            Trouble(kind: .noToken(.unavailable), word: "token"), Trouble(kind: .noToken(.signedOut), word: nil),
            Trouble(kind: .noToken(.locked), word: nil), Trouble(kind: .forbidden, word: nil),
            Trouble(kind: .noAddress, word: nil), Trouble(kind: .ended, word: nil),
            Trouble(kind: .cancelled, word: nil),
        ]
        + [.unresolved, .unreachable, .timeout, .tls, .protocolError, .interrupted, .exhausted, .tooManyRedirects].map {
            Trouble(kind: .transfer($0), word: $0.rawValue)
        }
        + [.pin, .forbidden, .invalidURL, .invalidRequest, .cancelled].map {
            Trouble(kind: .transfer($0), word: nil)
        }

    @Test("some failures are covered by the cache", arguments: troubles)
    func failures(trouble: Trouble) async throws {
        let bench = try CacheBench()
        bench.serve(200, [:], "one")
        _ = try await bench.ask()
        bench.clock.pass(.seconds(5))
        bench.fail(trouble.kind)
        if let word = trouble.word {
            let seen = try await bench.ask()
            #expect(seen.fact == "stale; age=5; because=\(word)" && seen.body == "one" && seen.attempts == 0)
        } else {
            let failure = await #expect(throws: CallFailure.self) { try await bench.ask() }
            #expect(failure?.reason == "it cannot be reached")
        }
    }

    @Test("a server error is covered by the cache, other statuses are not")
    func errors() async throws {
        let bench = try CacheBench()
        bench.serve(200, [:], "one")
        _ = try await bench.ask()
        for status in [500, 502, 503, 504, 599] {
            bench.serve(status, [:], "sorry")
            let seen = try await bench.ask()
            #expect(seen.fact == "stale; age=0; because=status-\(status)" && seen.status == 200 && seen.body == "one")
        }
        for status in [400, 401, 403, 429] {
            bench.serve(status, [:], "no")
            let seen = try await bench.ask()
            #expect(seen.fact == "miss" && seen.status == status && seen.body == "no")
        }
        bench.fail()
        #expect(try await bench.ask().body == "one")
    }

    @Test("'stale-if-error' limits the cover for errors, not for an unreachable server (RFC 5861)")
    func staleIfError() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Cache-Control": "max-age=60, stale-if-error=10"], "one")
        _ = try await bench.ask()
        bench.serve(503)
        // A request may say less than the server, not more.
        func ask(_ limit: Int) async throws -> CacheBench.Seen {
            try await bench.ask(.get, Self.things, ["Cache-Control": "stale-if-error=\(limit)"])
        }
        bench.clock.pass(.seconds(65))
        #expect(try await ask(5).word == "stale")
        #expect(try await ask(4).status == 503)
        bench.clock.pass(.seconds(5))
        #expect(try await bench.ask().word == "stale")
        bench.clock.pass(.seconds(1))
        #expect(try await bench.ask().status == 503)
        #expect(try await ask(99).status == 503)
        bench.fail()
        #expect(try await bench.ask().word == "stale")
    }

    @Test("a request that the cache can answer does not wait for the network, others do")
    func waiting() async throws {
        let bench = try CacheBench()
        bench.serve(200, [:], "one")
        _ = try await bench.ask()
        #expect(bench.asked().map(\.waitsForNetwork) == [true])
        _ = try await bench.ask()
        #expect(bench.asked().map(\.waitsForNetwork) == [false])
        _ = try await bench.ask(.get, "https://api.example.com/things", ["Cache-Control": "no-cache"])
        #expect(bench.asked().map(\.waitsForNetwork) == [true])
    }

    @Test("without a link the cached response is returned without a request, unless validation is required")
    func cutOff() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["ETag": "\"1\""], "one")
        _ = try await bench.ask()
        bench.serve(200, ["Cache-Control": "no-cache"], "two")
        _ = try await bench.ask(.get, "https://api.example.com/other")
        _ = bench.asked()
        bench.cutOff.fire()
        let seen = try await bench.ask()
        #expect(seen.body == "one" && seen.fact == "stale; age=0; because=offline" && seen.attempts == 0)
        #expect(bench.asked().isEmpty)
        _ = try await bench.ask(.get, "https://api.example.com/other")
        #expect(bench.asked().map(\.waitsForNetwork) == [true])
    }

    @Test("a response older than 'cache.maxAge' is not returned")
    func maxAge() async throws {
        let bench = try CacheBench("offlinePolicy: loadAndStoreLocalData\ncache: { maxAge: 1h }")
        bench.serve(200, ["Cache-Control": "max-age=999999"], "one")
        _ = try await bench.ask()
        _ = bench.asked()
        bench.clock.pass(.seconds(3_600))
        #expect(try await bench.ask().word == "hit")
        bench.clock.pass(.milliseconds(1))
        bench.fail()
        let failure = await #expect(throws: CallFailure.self) { try await bench.ask() }
        #expect(failure?.reason.contains("network.cache.maxAge") == true)
        #expect(bench.asked().count == 1)
    }

    @Test("with an unset clock cached responses count as stale, and are validated if possible")
    func clock() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Cache-Control": "max-age=999999"], "one")
        _ = try await bench.ask()
        bench.clock.jump(to: 1_000)
        bench.fail()
        #expect(try await bench.ask().fact == "stale; age=0; because=offline")
        // Who says how old it may be is given nothing whose age cannot be told.
        for field in ["max-age=9", "min-fresh=9"] {
            let failure = await #expect(throws: CallFailure.self) {
                try await bench.ask(.get, Self.things, ["Cache-Control": field])
            }
            #expect(failure?.reason.contains("the clock was set back") == true, "\(field)")
        }
        bench.serve(200, [:], "two")
        #expect(try await bench.ask().body == "two")
    }

    struct Unexpected: Error {}
}
