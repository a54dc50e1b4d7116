import Support
import Synchronization
import Testing
import WireBase
import WireHTTP
import WireNetworkContract
import WireService
import WireSQLite
import WireStore

@testable import WireNetwork

@Suite("Storing responses")
struct StoringTests {
    private static let things = "https://api.example.com/things"

    @Test("a 304 refreshes a response and updates fields, except those of the body (RFC 9111, 3.2 and 4.3.4)")
    func merging() async throws {
        let bench = try CacheBench()
        bench.serve(
            200,
            [
                "ETag": "\"1\"", "Cache-Control": "max-age=60", "X-Mood": "good", "Content-Length": "3",
                "X-Old": "stays",
            ],
            "one"
        )
        _ = try await bench.ask()
        bench.clock.pass(.seconds(100))
        bench.serve(304, ["ETag": "\"1\"", "X-Mood": "bad", "Cache-Control": "max-age=10", "Content-Length": "0"])
        _ = bench.asked()
        let confirmed = try await bench.ask()
        #expect(bench.asked().map { $0.fields["If-None-Match"] } == ["\"1\""])
        #expect(confirmed.fact == "hit; age=0; confirmed" && confirmed.body == "one" && confirmed.status == 200)
        #expect(confirmed.fields["X-Mood"] == "bad" && confirmed.fields["Content-Length"] == "3")
        #expect(confirmed.fields["X-Old"] == "stays")
        bench.clock.pass(.seconds(9))
        #expect(try await bench.ask().fact == "hit; age=9")
        bench.clock.pass(.seconds(1))
        _ = try await bench.ask()
        #expect(bench.asked().count == 1)
    }

    @Test("the transfer time is part of the age (RFC 9111, 4.2.3)")
    func way() async throws {
        let bench = try CacheBench()
        bench.serve { [clock = bench.clock] _ in
            clock.pass(.seconds(3))
            return CacheBench.Reply(200, ["Cache-Control": "max-age=60"], "one")
        }
        _ = try await bench.ask()
        #expect(try await bench.ask().fact == "hit; age=3")
    }

    @Test("a 304 for another representation causes a full request (RFC 9111, 4.3.4)")
    func otherTag() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["ETag": "\"1\""], "one")
        _ = try await bench.ask()
        bench.serve { pipelineRequest in
            pipelineRequest.call.fields["If-None-Match"] == nil
                ? CacheBench.Reply(200, ["ETag": "\"2\""], "two") : CacheBench.Reply(304, ["ETag": "\"2\""])
        }
        #expect(try await bench.ask().body == "two")
        bench.fail()
        #expect(try await bench.ask().body == "two")
    }

    @Test("a 304 with no-store removes the entry after returning it once")
    func noLonger() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["ETag": "\"1\""], "one")
        _ = try await bench.ask()
        bench.serve(304, ["Cache-Control": "no-store"])
        #expect(try await bench.ask().body == "one")
        bench.fail()
        await #expect(throws: CallFailure.self) { try await bench.ask() }
    }

    @Test("conditions of the caller are evaluated by the cache, and not forwarded (RFC 9111, 4.3.2)")
    func conditions() async throws {
        let bench = try CacheBench()
        let changed = bench.date(-100)
        bench.serve(200, ["ETag": "\"1\"", "Last-Modified": changed, "Cache-Control": "max-age=60"], "one")
        _ = try await bench.ask()
        let known: [Fields] = [
            ["If-None-Match": "\"0\", W/\"1\""], ["If-None-Match": "*"], ["If-Modified-Since": changed],
        ]
        for fields in known {
            let seen = try await bench.ask(.get, Self.things, fields)
            #expect(seen.status == 304 && seen.body.isEmpty && seen.fields["ETag"] == "\"1\"" && seen.word == "hit")
        }
        let unknown: [Fields] = [
            ["If-None-Match": "\"2\""], ["If-Modified-Since": bench.date(-101)],
            ["If-None-Match": "\"2\"", "If-Modified-Since": changed],
        ]
        for fields in unknown { #expect(try await bench.ask(.get, Self.things, fields).status == 200) }
        bench.clock.pass(.seconds(60))
        _ = bench.asked()
        bench.serve(304)
        #expect(try await bench.ask(.get, Self.things, ["If-None-Match": "\"0\""]).body == "one")
        #expect(bench.asked().map { $0.fields.values(of: "If-None-Match") } == [["\"1\""]])
        // With nothing stored they are the server's.
        #expect(try await bench.ask(.get, Self.things + "/2", ["If-None-Match": "\"0\""]).status == 304)
        #expect(bench.asked().map { $0.fields["If-None-Match"] } == ["\"0\""])
    }

    @Test(
        "an unsafe request invalidates its URL, and the Location on the same server"
    )
    func invalidation() async throws {
        let bench = try CacheBench()
        let places = [Self.things, Self.things + "/1", "https://api.example.com/other?x", "https://else.example.com/1"]
        for method in [Method.post, .put, .delete, .patch, Method("LINK")] {
            bench.serve(200, ["Cache-Control": "max-age=60"], "one")
            for place in places { _ = try await bench.ask(.get, place) }
            bench.serve(500)
            _ = try await bench.ask(method)
            bench.serve(404)
            _ = try await bench.ask(method)
            for place in places { #expect(try await bench.ask(.get, place).word == "hit") }
            bench.serve(201, ["Location": "things/1", "Content-Location": "https://api.example.com:443/a/../other?x"])
            #expect(try await bench.ask(method, policy: OfflinePolicy.none).fact == "bypass")
            bench.serve(303, ["Location": "https://else.example.com/1"])
            _ = try await bench.ask(method)
            bench.serve(200, [:], "two")
            #expect(try await bench.ask(.get, places[0]).body == "two", "\(method.name)")
            #expect(try await bench.ask(.get, places[1]).body == "two", "\(method.name)")
            #expect(try await bench.ask(.get, places[2]).body == "two", "\(method.name)")
            #expect(try await bench.ask(.get, places[3]).word == "hit", "\(method.name)")
        }
    }

    @Test("a response requested before a change is not stored after it")
    func overtaken() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Cache-Control": "max-age=60"], "old")
        let slow = try await bench.send(bench.pipelineRequest(bench.call()))
        bench.serve(204)
        _ = try await bench.ask(.post)
        #expect(String(decoding: try await slow.body.collect(upTo: .kibibytes(1)), as: UTF8.self) == "old")
        bench.serve(200, [:], "new")
        #expect(try await bench.ask().body == "new")
    }

    @Test("if more URLs have changed than are tracked, no response requested before is stored")
    func manyChanges() {
        var invalidations = Invalidations()
        for number in 0..<1_024 { invalidations.add("\(number)") }
        #expect(invalidations.allows("other", since: 0))
        #expect(!invalidations.allows("7", since: 7))
        #expect(invalidations.allows("7", since: 8))
        invalidations.add("one more")
        #expect(!invalidations.allows("other", since: 1_024))
        #expect(invalidations.allows("other", since: 1_025))
    }

    @Test("users, environments and identity servers have separate caches")
    func apart() async throws {
        let bench = try CacheBench()
        struct Who {
            var user: String?
            var environment = "dev"
            var authorization = ServerCall.Authorization.usual
        }
        let all = [
            Who(), Who(user: "ada"), Who(user: "grace"), Who(user: "ada", environment: "prod"),
            Who(user: "ada", authorization: .none), Who(user: "ada", authorization: .token(.app)),
            Who(user: "ada", authorization: .token(.user)),
        ]
        func ask(_ who: Who) async throws -> CacheBench.Seen {
            try await bench.ask(user: who.user, environment: who.environment) { $0.authorization = who.authorization }
        }
        for (number, who) in all.enumerated() {
            bench.serve(200, ["Cache-Control": "max-age=60"], "\(number)")
            #expect(try await ask(who).word == "miss")
        }
        for (number, who) in all.enumerated() {
            let seen = try await ask(who)
            #expect(seen.body == "\(number)" && seen.word == "hit")
        }
        // Nothing of any of them is left for this one after a change.
        bench.serve(204)
        _ = try await bench.ask(.post, user: "ada")
        bench.serve(200, [:], "new")
        for number in [1, 4, 5, 6] { #expect(try await ask(all[number]).body == "new") }
        for number in [0, 2, 3] { #expect(try await ask(all[number]).word == "hit") }
    }

    @Test("a caller with limited tokens gets only responses fetched with the same limits")
    func rights() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Cache-Control": "max-age=60"], "all")
        _ = try await bench.ask(user: "ada")
        let few = TokenRights(modes: ["app"], scopes: ["read"])
        bench.serve(200, ["Cache-Control": "max-age=60"], "few")
        for (rights, word) in [(few, "miss"), (few, "hit"), (.none, "miss"), (TokenRights(modes: ["app"]), "miss")] {
            let seen = try await bench.ask(user: "ada") { $0.tokenRights = rights }
            #expect(seen.word == word && seen.body == "few")
        }
        #expect(try await bench.ask(user: "ada").body == "all")
        // Without a token everybody is alike.
        _ = try await bench.ask { $0.authorization = .none }
        let seen = try await bench.ask {
            $0.authorization = .none
            $0.tokenRights = .none
        }
        #expect(seen.word == "hit")
    }

    @Test(
        "a response fetched with a token is not returned while its session is locked",
        arguments: OfflinePolicy.allCases
    )
    func locked(policy: OfflinePolicy) async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Cache-Control": "max-age=60"], "one")
        _ = try await bench.ask(user: "ada")
        _ = try await bench.ask(user: "ada") { $0.authorization = .none }
        _ = bench.asked()
        bench.tokens.refuse(.locked)
        bench.fail(.noToken(.locked))
        let failure = await #expect(throws: CallFailure.self) { try await bench.ask(policy: policy, user: "ada") }
        guard case .noToken(.locked) = failure?.kind else { throw PolicyTests.Unexpected() }
        // Nobody but the step that gives tokens says so, where it is asked anyway.
        #expect(bench.asked().count == (policy == .returnLocalDataDontLoad ? 0 : 1))
        if policy != .none {
            let seen = try await bench.ask(policy: policy, user: "ada") { $0.authorization = .none }
            #expect(seen.word == "hit")
        }
        bench.tokens.refuse(nil)
        #expect(try await bench.ask(user: "ada").word == "hit")
    }

    @Test("several variants are stored at once")
    func variants() async throws {
        let bench = try CacheBench()
        bench.serve { pipelineRequest in
            let language = pipelineRequest.call.fields["Accept-Language"] ?? "none"
            return CacheBench.Reply(200, ["Vary": "Accept-Language", "Cache-Control": "max-age=60"], language)
        }
        for word in ["miss", "hit"] {
            for language in ["de", "en", "fr"] {
                let seen = try await bench.ask(.get, Self.things, ["Accept-Language": language])
                #expect(seen.word == word && seen.body == language)
            }
            #expect(try await bench.ask().word == word)
        }
    }

    @Test("hop-by-hop and one-time fields are not returned from the cache")
    func fields() async throws {
        let bench = try CacheBench()
        bench.serve(
            200,
            [
                "Cache-Control": "max-age=60, no-cache=\"X-Once, X-Twice\"", "Set-Cookie": "a=b", "Connection": "X-Hop",
                "X-Hop": "1", "X-Once": "1", "x-twice": "1", "WWW-Authenticate": "Basic", "X-Kept": "1",
                "Corewire-Cache": "hit; age=99", "Keep-Alive": "timeout=5",
            ],
            "one"
        )
        let first = try await bench.ask()
        #expect(first.fields["Set-Cookie"] == "a=b" && first.fact == "miss")
        let second = try await bench.ask()
        #expect(second.word == "hit" && second.fact == "hit; age=0")
        #expect(
            second.fields.all.map(\.name).sorted()
                == ["Age", "Cache-Control", "Corewire-Cache", "Date", "X-Kept"]
        )
    }

    @Test("a HEAD response that differs marks the stored response as stale (RFC 9111, 4.3.5)")
    func heads() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["ETag": "\"1\"", "Cache-Control": "max-age=60"], "one")
        _ = try await bench.ask()
        #expect(try await bench.ask(.head).word == "hit")
        bench.serve(200, ["ETag": "\"1\""])
        _ = try await bench.ask(.head, Self.things, ["Cache-Control": "no-cache"])
        #expect(try await bench.ask().word == "hit")
        bench.serve(200, ["ETag": "\"2\""])
        let head = try await bench.ask(.head, Self.things, ["Cache-Control": "no-cache"])
        #expect(head.fact == "miss" && head.fields["ETag"] == "\"2\"")
        bench.fail()
        #expect(try await bench.ask().word == "stale")
    }

    @Test("range, stream and conditional requests bypass the cache")
    func past() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Cache-Control": "max-age=60"], "one")
        _ = try await bench.ask()
        let past: [Fields] = [
            ["Range": "bytes=0-1"], ["If-Match": "\"1\""], ["If-Unmodified-Since": bench.date()], ["If-Range": "\"1\""],
        ]
        for fields in past { #expect(try await bench.ask(.get, Self.things, fields).fact == "bypass") }
        #expect(try await bench.ask { $0.isLong = true }.fact == "bypass")
        #expect(try await bench.ask { $0.body = .bytes([1]) }.fact == "bypass")
        #expect(try await bench.ask(.options).fact == "bypass")
        // A server may leave a range out of account, and so may who stands in for it.
        #expect(try await bench.ask(.get, Self.things, past[0], policy: .returnLocalDataDontLoad).body == "one")
        await #expect(throws: CallFailure.self) {
            try await bench.ask(.get, Self.things, past[1], policy: .returnLocalDataDontLoad)
        }
    }
}
