import Support
import Testing
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireNetworkContract
import WireService
import WireSync

@Suite(
    "Subscriptions over a WebSocket",
    .serialized,
    .enabled(if: SubscriptionServers.isThere),
    .timeLimit(.minutes(3))
)
struct SocketSubscriptionTests {
    private static func query(_ text: String) -> GraphQLRequest { GraphQLRequest(text) }

    @Test(
        "the server chooses the sub-protocol, and events arrive in order",
        arguments: [("talk", "graphql-transport-ws"), ("legacy", "graphql-ws"), ("talk?legacy", "graphql-ws")]
    )
    func conversation(path: String, spoken: String) async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/\(path)")
        let takers = (0..<3).map { Taker(bench.hub.subscribe(Self.query("{a\($0)}"))) }
        for taker in takers {
            #expect(await eventually { taker.hasEnded })
            #expect(taker.all == ["1", "2", "complete"])
        }
        #expect(servers.all.filter { $0.hasPrefix("open") }.allSatisfy { $0.hasSuffix(spoken) })
        await bench.end()
    }

    @Test(
        "ariadne's server works in both sub-protocols",
        arguments: [
            ("ariadne", ["graphql-transport-ws"]), ("ariadne-legacy", ["graphql-ws"]),
            ("ariadne", ["graphql-transport-ws", "graphql-ws"]),
            ("ariadne-legacy", ["graphql-transport-ws", "graphql-ws"]),
        ]
    )
    func ariadne(path: String, protocols: [String]) async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.ariadne)/\(path)") {
            $0.transport = .socket(protocols.compactMap(SocketProtocol.init))
        }
        let forever = Taker(bench.hub.subscribe(Self.query("subscription { n: forever }")))
        #expect(await eventually { forever.all == ["0"] })
        let counted = Taker(
            bench.hub.subscribe(
                GraphQLRequest(
                    "subscription C($to: Int!) { n: count(to: $to) }",
                    operationName: "C",
                    variables: [("to", .integer(3))]
                )
            )
        )
        #expect(await eventually { counted.hasEnded })
        #expect(counted.all == ["1", "2", "3", "complete"])
        let wrong = Taker(bench.hub.subscribe(Self.query("subscription { nothing }")))
        #expect(await eventually { wrong.hasEnded })
        #expect(wrong.all.first?.contains("Cannot query field 'nothing'") == true, "\(wrong.all)")
        forever.stop()
        // The handler of the older protocol leaves a source that waits alone.
        if path == "ariadne" { try await servers.saw("ariadne ends") }
        await bench.end()
        try await servers.saw("closed /\(path) 1000")
        #expect(servers.count("open") == 1)
    }

    @Test("a server error ends a subscription", arguments: ["failing", "failing?legacy"])
    func failing(path: String) async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/\(path)")
        let taker = Taker(bench.hub.subscribe(Self.query("{a}")))
        #expect(await eventually { taker.hasEnded })
        #expect(taker.all == ["error no such field"])
        await bench.end()
    }

    @Test("a thousand subscriptions share one socket, closed with the last")
    func shared() async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/stay")
        let takers = (0..<1_000).map { Taker(bench.hub.subscribe(Self.query("{a\($0)}"))) }
        #expect(await eventually { takers.allSatisfy { $0.all == ["1"] } })
        #expect(servers.count("open") == 1 && bench.hub.count == 1_000)
        for taker in takers { taker.stop() }
        try await servers.saw("closed /stay 1000")
        try await servers.saw("complete")
        let again = Taker(bench.hub.subscribe(Self.query("{b}")))
        #expect(await eventually { again.all == ["2"] })
        await bench.end()
        #expect(again.hasEnded && again.all == ["2"])
    }

    @Test("a token is a header, in the payload on request, and is refreshed once if rejected")
    func token() async throws {
        for (path, inPayload) in [("token", false), ("token", true), ("token?legacy", true)] {
            let servers = try await SubscriptionServers()
            let bench = try SubscriptionBench("\(servers.scripted)/\(path)", tokens: TwoTokens()) {
                $0.tokenInPayload = inPayload
            }
            let taker = Taker(bench.hub.subscribe(Self.query("{a}")))
            #expect(await eventually { taker.all == ["1"] })
            let payloads = ["1", "2"].map { inPayload ? #"{"Authorization": "Bearer token-\#($0)"}"# : "null" }
            try await servers.saw("init Bearer token-1 \(payloads[0])")
            try await servers.saw("init Bearer token-2 \(payloads[1])")
            #expect(bench.log.filter { $0 == .connected }.count == 1)
            await bench.end()
        }
    }

    @Test("a token is sent only to the server of the base URL")
    func stranger() async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench(
            "\(servers.scripted)/stay",
            base: "https://api.example.com",
            tokens: TwoTokens()
        ) { $0.tokenInPayload = true }
        let taker = Taker(bench.hub.subscribe(Self.query("{a}")))
        #expect(await eventually { taker.all == ["1"] })
        try await servers.saw("init None null")
        await bench.end()
    }

    @Test("a lost connection is reopened after a pause, and subscriptions get a gap")
    func lost() async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/drop")
        let taker = Taker(bench.hub.subscribe(Self.query("{a}")))
        #expect(await bench.passing { taker.all == ["1", "gap", "2", "gap", "3"] }, "\(taker.all)")
        await bench.end()
    }

    @Test(
        "the close code decides: reconnect, with a new token, or not at all",
        arguments: [(1_000, true), (1_001, true), (1_012, true), (4_403, true), (4_408, true), (3_000, true)]
            + [(1_008, false), (1_011, false), (4_400, false), (4_409, false), (4_429, false)]
    )
    func codes(code: Int, isRetried: Bool) async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/code?\(code)", tokens: TwoTokens())
        let taker = Taker(bench.hub.subscribe(Self.query("{a}")))
        if isRetried {
            #expect(await bench.passing { taker.all == ["gap", "2"] }, "\(taker.all)")
            let token = code == 4_403 ? 2 : 1
            #expect(try await servers.saw("init", times: 2) == "init Bearer token-\(token) null")
        } else {
            #expect(await eventually { taker.hasEnded })
            #expect(taker.all == ["failed the server closed with \(code): because"])
        }
        await bench.end()
    }

    @Test("a token replacement loses and duplicates no event")
    func renewal() async throws {
        let servers = try await SubscriptionServers()
        let tokens = TwoTokens()
        let bench = try SubscriptionBench("\(servers.scripted)/ticks", tokens: tokens)
        let takers = (0..<5).map { Taker(bench.hub.subscribe(Self.query("{a\($0)}"))) }
        #expect(await eventually { takers.allSatisfy { $0.all.count > 10 } })
        for round in 1...3 {
            tokens.renew(until: nil)
            bench.hub.renew()
            try await servers.saw("subscribe", times: 5 * (round + 1))
            let counts = takers.map { $0.all.count }
            #expect(await eventually { zip(takers, counts).allSatisfy { $0.all.count > $1 + 20 } })
            bench.clock.pass(ConnectionPlan.overlap)
            try await servers.saw("closed /ticks 1000", times: round)
        }
        let counts = takers.map { $0.all.count }
        #expect(await eventually { zip(takers, counts).allSatisfy { $0.all.count > $1 + 20 } })
        for taker in takers {
            // They go on to come.
            let all = taker.all
            let numbers = all.compactMap { Int($0) }
            #expect(numbers.count == all.count, "nothing but events")
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(numbers)")
        }
        try await servers.saw("init Bearer token-4")
        await bench.end()
    }

    @Test("the connection is replaced before its token expires, and after suspend")
    func replaced() async throws {
        let servers = try await SubscriptionServers()
        let tokens = TwoTokens()
        let bench = try SubscriptionBench("\(servers.scripted)/stay", tokens: tokens) { $0.keepAlive = .zero }
        tokens.expire(at: bench.clock.clockwork.wall() + 360_000)
        let taker = Taker(bench.hub.subscribe(Self.query("{a}")))
        #expect(await eventually { bench.clock.wakes(in: .seconds(300)) && bench.log == [.connected] })
        tokens.renew(until: nil)
        #expect(await bench.passing(.seconds(5)) { servers.count("init Bearer token-2") == 1 })
        #expect(await bench.passing(.seconds(1)) { servers.count("closed /stay 1000") == 1 })
        #expect(taker.all == ["1", "2"])
        bench.clock.jump(to: bench.clock.clockwork.wall() + 3_600_000)
        #expect(await bench.passing(.seconds(5)) { servers.count("closed /stay 1000") == 2 })
        #expect(taker.all == ["1", "2", "3"])
        await bench.end()
    }

    @Test("nothing is opened offline, and at once when online")
    func network() async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/stay", isOnline: false)
        let taker = Taker(bench.hub.subscribe(Self.query("{a}")))
        for _ in 0..<50 { await breath() }
        #expect(servers.count("open") == 0)
        bench.link.become(true)
        #expect(await eventually { taker.all == ["1"] })
        await bench.end()
    }

    @Test("an offline policy that forbids requests opens nothing")
    func policy() async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/stay", policy: .returnLocalDataDontLoad)
        let taker = Taker(bench.hub.subscribe(Self.query("{a}")))
        #expect(await eventually { taker.hasEnded })
        #expect(taker.all == ["failed 'network.offlinePolicy' keeps requests on this machine"])
        #expect(servers.count("open") == 0)
        await bench.end()
    }
}

@Suite(
    "WebSocket subscriptions from misbehaving servers",
    .serialized,
    .enabled(if: SubscriptionServers.isThere),
    .timeLimit(.minutes(3))
)
struct HostileSubscriptionTests {
    @Test(
        "an invalid server is disconnected, and not retried",
        arguments: [
            ("nonsense", "closed with 4004", 4_004), ("deep", "closed with 4004", 4_004),
            ("unasked", "closed with 4004", 4_004), ("large", "closed with 1009", 1_009),
            ("binary", "closed with 1003", 1_003),
        ]
    )
    func refused(path: String, reason: String, code: Int) async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/\(path)") { $0.message = .kibibytes(100) }
        let taker = Taker(bench.hub.subscribe(GraphQLRequest("{a}")))
        #expect(await eventually { taker.hasEnded })
        #expect(taker.all.count == 1 && taker.all.first?.contains(reason) == true, "\(taker.all)")
        try await servers.saw("closed /\(path) \(code)")
        await bench.end()
    }

    @Test("a rejected handshake fails the subscriptions, a temporary failure is retried as set")
    func handshakes() async throws {
        let servers = try await SubscriptionServers()
        let forbidden = try SubscriptionBench("\(servers.scripted)/forbidden")
        let first = Taker(forbidden.hub.subscribe(GraphQLRequest("{a}")))
        #expect(await eventually { first.hasEnded })
        #expect(first.all == ["failed the server responded with status 403, expected a WebSocket"])
        await forbidden.end()
        let unavailable = try SubscriptionBench("\(servers.scripted)/unavailable") { $0.reconnect.attempts = 3 }
        let second = Taker(unavailable.hub.subscribe(GraphQLRequest("{a}")))
        #expect(await unavailable.passing { second.hasEnded })
        #expect(second.all == ["failed the server responded with status 503, expected a WebSocket"])
        try await servers.saw("unavailable", times: 4)
        #expect(servers.count("unavailable") == 4)
        await unavailable.end()
    }

    @Test("a server without a GraphQL sub-protocol is rejected")
    func protocols() async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.ariadne)/ariadne-legacy") {
            $0.transport = .socket([.graphqlTransportWs])
        }
        let taker = Taker(bench.hub.subscribe(GraphQLRequest("{a}")))
        #expect(await eventually { taker.hasEnded })
        #expect(taker.all.first?.hasPrefix("failed the server ") == true, "\(taker.all)")
        await bench.end()
    }

    @Test("a missing acknowledgement times out, and is retried")
    func unacknowledged() async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/silent") { $0.reconnect.attempts = 1 }
        let taker = Taker(bench.hub.subscribe(GraphQLRequest("{a}")))
        for attempt in 1...2 {
            try await servers.saw("init", times: attempt)
            #expect(await eventually { bench.clock.wakes(in: .seconds(10)) })
            bench.clock.pass(.seconds(10))
            try await servers.saw("closed /silent 4504", times: attempt)
            guard attempt == 1 else { continue }
            #expect(await eventually { bench.log.count == 1 && bench.clock.wakes(in: .seconds(1)) })
            bench.clock.pass(.seconds(1))
        }
        #expect(await eventually { taker.hasEnded })
        #expect(taker.all == ["failed closed with 4504: Connection acknowledgement timeout"])
        await bench.end()
    }

    @Test("a slow subscriber loses the oldest events, gets their number, and the latest events")
    func flood() async throws {
        let servers = try await SubscriptionServers()
        let bench = try SubscriptionBench("\(servers.scripted)/flood")
        let subscription = bench.hub.subscribe(GraphQLRequest("{a}"))
        try await servers.saw("flooded")
        #expect(await eventually { bench.hub.count == 0 })
        let taker = Taker(subscription)
        #expect(await eventually { taker.hasEnded })
        let words = taker.all
        #expect(words.first?.hasPrefix("dropped ") == true && words.last == "complete" && words.count <= 1_002)
        let dropped = words.first?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        let numbers = words.compactMap { Int($0) }
        #expect(dropped + numbers.count == 20_000 && numbers == Array(dropped..<20_000))
        await bench.end()
    }
}

@Suite(
    "Subscriptions over event streams",
    .serialized,
    .enabled(if: SubscriptionServers.isThere),
    .timeLimit(.minutes(3))
)
struct EventStreamSubscriptionTests {
    private static func bench(_ servers: SubscriptionServers, _ path: String, tokens: TwoTokens? = nil) throws
        -> SubscriptionBench
    {
        try SubscriptionBench("\(servers.streams)/\(path)", tokens: tokens) {
            $0.transport = .eventStream
            $0.message = .kibibytes(100)
        }
    }

    @Test("ariadne's event stream works")
    func ariadne() async throws {
        let servers = try await SubscriptionServers()
        let bench = try Self.bench(servers, "ariadne-sse")
        let forever = Taker(bench.hub.subscribe(GraphQLRequest("subscription { n: forever }")))
        #expect(await eventually { forever.all == ["0"] })
        let counted = Taker(bench.hub.subscribe(GraphQLRequest("subscription { n: count(to: 3) }")))
        #expect(await eventually { counted.hasEnded })
        #expect(counted.all == ["1", "2", "3", "complete"])
        await bench.end()
        #expect(forever.hasEnded)
    }

    @Test("a stream without a completion is reopened, and the subscription gets a gap")
    func cut() async throws {
        let servers = try await SubscriptionServers()
        let bench = try Self.bench(servers, "cut")
        let taker = Taker(bench.hub.subscribe(GraphQLRequest("{a}", operationName: "A")))
        #expect(await bench.passing { taker.hasEnded })
        #expect(taker.all == ["1", "gap", "2", "gap", "3", "complete"])
        try await servers.saw(#"asked /cut None text/event-stream {"query":"{a}","operationName":"A"}"#)
        await bench.end()
    }

    @Test(
        "a response that is not a GraphQL stream ends the subscription with the reason",
        arguments: [
            ("errors", "error no such field"),
            ("page", "failed the server responded with status 200, expected an event stream"),
            ("nonsense", "failed the server sent an invalid GraphQL event: the event is not JSON"),
            ("large", "failed the server sent an event that exceeds 100KiB"),
        ]
    )
    func refused(path: String, words: String) async throws {
        let servers = try await SubscriptionServers()
        let bench = try Self.bench(servers, path)
        let taker = Taker(bench.hub.subscribe(GraphQLRequest("{a}")))
        #expect(await eventually { taker.hasEnded })
        #expect(taker.all.count == 1 && taker.all.first?.hasPrefix(words) == true, "\(taker.all)")
        await bench.end()
    }

    @Test("a rejected token is refreshed once; each subscription has its own stream, closed on release")
    func token() async throws {
        let servers = try await SubscriptionServers()
        let bench = try Self.bench(servers, "token", tokens: TwoTokens())
        let takers = (0..<3).map { Taker(bench.hub.subscribe(GraphQLRequest("{a\($0)}"))) }
        #expect(await eventually { takers.allSatisfy { $0.all.count == 1 } }, "\(servers.all)")
        takers[0].stop()
        try await servers.saw("left /token", times: 4)
        #expect(await eventually { bench.hub.count == 2 })
        await bench.end()
        try await servers.saw("left /token", times: 6)
    }
}
