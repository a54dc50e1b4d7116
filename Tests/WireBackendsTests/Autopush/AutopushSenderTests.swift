import Foundation
import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireStore
import Workbench

@Suite(
    "Senders to the embedded autopush server",
    .enabled(if: WebPushPeers.areThere),
    .timeLimit(.minutes(2))
)
struct AutopushSenderTests {
    private static let channel = AutopushHouse.channel

    @Test("an invalid request gets the real server's status and error number")
    func refused() async throws {
        try await AutopushHouse.run { push in
            let (_, endpoint) = try await push.connect("ada")
            let long = String(repeating: "x", count: 4_097)
            let cases: [([String], String, String)] = [
                ([], "", "400 111"), (["TTL: "], "", "400 111"), (["TTL: -1"], "", "400 112"),
                (["TTL: 1m"], "", "400 112"), (["TTL: ٣"], "", "400 112"), (["TTL: 60", "Topic: a.b"], "", "400 113"),
                (["TTL: 60", "Topic: \(String(repeating: "a", count: 33))"], "", "400 113"),
                (["TTL: 60"], "x", "400 110"), (["TTL: 60", "Content-Encoding: gzip"], "x", "400 110"),
                (["TTL: 60", "Content-Encoding: aesgcm"], "x", "400 110"),
                (["TTL: 60", "Content-Encoding: aesgcm", "Encryption: salt=a"], "x", "400 110"),
                (["TTL: 60", "Content-Encoding: aes128gcm"], long, "413 104"),
                (["TTL: 60", "Authorization: vapid t=x, k=y"], "", "401 109"),
                (["TTL: 60", "Authorization: Bearer x"], "", "401 109"),
            ]
            for (fields, body, expected) in cases {
                #expect(try await push.post(endpoint, fields, body: body) == expected, "\(fields)")
            }
            for place in [
                endpoint.replacingOccurrences(of: "/v1/", with: "/v2/"), endpoint + "A", String(endpoint.dropLast()),
                endpoint.replacingOccurrences(of: "/v1/", with: "/v3/"), "http://x/wpush/v1/", "http://x/wpush/v1/%2Fx",
            ] {
                #expect(try await push.post(place) == "404 102", "\(place)")
            }
            let answer = try await push.web.ask("POST", push.path(endpoint), [], body: "")
            #expect(answer.json["code"]?.integer == 400 && answer.json["error"]?.string == "Bad Request")
            #expect(answer.json["message"]?.string == "missing TTL")
            #expect(try await push.web.get(push.path(endpoint)).status == 405)
            try await push.peers.settle("ada")
            #expect(push.peers.notified("ada").isEmpty)
        }
    }

    @Test("the largest content of pywebpush fits, and a larger one is refused")
    func sizes() async throws {
        try await AutopushHouse.run { push in
            let (_, endpoint) = try await push.connect("ada")
            for (count, expected) in [(3_993, "201 "), (3_994, "413 104")] {
                let text = String(repeating: "x", count: count)
                let sent = try await push.peers.push("ada", endpoint, #""data": "\#(text)", "ttl": 60"#)
                #expect(sent.hasPrefix(expected), "\(sent)")
            }
            let large = String(repeating: "x", count: 70_000)
            #expect(try await push.web.ask("POST", push.path(endpoint), ["TTL: 60"], body: large).status == 413)
            #expect(try await push.peers.notified("ada", times: 1).map(\.content.count) == [3_993])
        }
    }

    @Test("a time to live is at most 30 days")
    func longest() async throws {
        try await AutopushHouse.run { push in
            let path = try push.path(try await push.connect("ada").endpoint)
            for (asked, given) in [("2592001", "2592000"), ("99999999999999999999999999", "2592000"), ("7", "7")] {
                let answer = try await push.web.ask("POST", path, ["TTL: \(asked)"], body: "")
                #expect(answer.status == 201 && answer["TTL"] == given)
            }
        }
    }

    @Test("a channel with a key accepts messages of the owner of the key only")
    func vapid() async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            _ = try await peers.greet("ada")
            let endpoint = try await peers.register("ada", Self.channel, key: "right")
            #expect(endpoint.contains("/wpush/v2/"))
            #expect(try await peers.register("ada", Self.channel, key: "right") == endpoint)
            #expect(try await push.post(endpoint) == "401 109")
            let now = Int(push.house.clock.clockwork.wall() / 1_000)
            func send(_ claims: String, key: String = "right") async throws -> String {
                try await peers.push(
                    "ada",
                    endpoint,
                    #""ttl": 60, "key": "\#(key)", "vapid_claims": {"sub": "mailto:a@example.com"\#(claims)}"#
                )
            }
            #expect(try await send("", key: "wrong") == "401 109")
            #expect(try await send(#", "aud": "https://push.example.com""#) == "401 109")
            #expect(try await send(#", "exp": \#(now + 90_000)"#) == "401 109")
            #expect(try await send(#", "exp": \#(now + 80_000)"#).hasPrefix("201 "))
            push.house.clock.pass(.seconds(100_000))
            #expect(try await send(#", "exp": \#(now + 80_000)"#) == "401 109")
            #expect(try await peers.notified("ada", times: 1).count == 1)
            // A sender without need may show its key too, and it is checked.
            push.house.clock.jump(to: Int64(now) * 1_000)
            let open = try await peers.register("ada", AutopushHouse.other)
            #expect(try await peers.push("ada", open, #""ttl": 60, "key": "any""#).hasPrefix("201 "))
            try await peers.tell(
                #"say ada {"messageType":"register","channelID":"\#(AutopushHouse.other)","key":"AAAA"}"#
            )
            try await peers.process.saw("registered ada \(AutopushHouse.other) 400")
        }
    }

    @Test("a sender takes a stored message back")
    func withdrawn() async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            let (uaid, endpoint) = try await push.connect("ada")
            try await peers.tell("cut ada")
            try await peers.process.saw("closed ada")
            let sent = try await push.post(endpoint)
            let place = try push.path(String(try #require(sent.split(separator: " ").last)))
            #expect(try await push.web.ask("DELETE", String(place.dropLast()) + "_").status == 404)
            #expect(try await push.web.ask("DELETE", place).status == 204)
            #expect(try await push.web.ask("DELETE", "/m/x").status == 404)
            #expect(try await push.web.get(place).status == 405)
            _ = try await peers.greet("ada", uaid)
            try await peers.settle("ada")
            #expect(peers.notified("ada").isEmpty)
        }
    }

    @Test("a full store asks senders to wait")
    func full() async throws {
        let isFull = Mutable(false)
        try await House.run(around: { FullStore(store: $0, isFull: isFull) }) { house in
            let peers = try await WebPushPeers(of: #require(house.pushing?.autopush()))
            let web = try Web(#require(house.base))
            _ = try await peers.greet("ada")
            let endpoint = try await peers.register("ada", Self.channel)
            isFull.value = true
            let answer = try await web.ask("POST", #require(URL(string: endpoint)).path, ["TTL: 60"], body: "")
            #expect(answer.status == 503 && answer.json["errno"]?.integer == 201 && answer["Retry-After"] == "120")
            #expect(try await peers.register("ada", AutopushHouse.other).isEmpty)
            try await peers.settle("ada")
        }
    }

    @Test("another environment has receivers of its own, and ends the connections")
    func environments() async throws {
        try await AutopushHouse.run { push in
            let (uaid, endpoint) = try await push.connect("ada")
            try await push.house.rebind(House.issuer, named: "stage")
            try await push.peers.process.saw("closed ada 1001")
            #expect(try await push.post(endpoint) == "404 102")
            #expect(try await push.peers.greet("ada", uaid) != uaid)
            try await push.house.rebind(House.issuer)
            #expect(try await push.post(endpoint).hasPrefix("201 "))
        }
    }
}

/// A store that is full when a test says so.
private struct FullStore: StoreAround {
    let store: any KeyValueStore
    let isFull: Mutable<Bool>

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        if isFull.value { throw StoreFailure(.full, "the disk is full") }
        return try await store.put(value, under: key, in: namespace, if: condition)
    }
}
