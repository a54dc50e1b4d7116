import Testing
import WireBase
import WireConfig
import WireGraphQL

@Suite("GraphQL over WebSocket: client")
struct SocketClientSessionTests {
    private static func words(_ actions: [SocketClientSession.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let text): text
            case .acknowledged(let payload): "acknowledged \(payload?.text() ?? "-")"
            case .deliver(let id, .next(let result)): "\(id) next \(result.text())"
            case .deliver(let id, .error(let errors)): "\(id) error \(JSONValue.array(errors).text())"
            case .deliver(let id, .complete): "\(id) complete"
            case .refused(let payload): "refused \(payload?.text() ?? "-")"
            case .close(let close): "close \(close.code) \(close.reason)"
            }
        }
    }

    private static func acknowledged(
        _ spoken: SocketProtocol,
        limits: SocketClientSession.Limits = .init()
    ) -> SocketClientSession {
        var session = SocketClientSession(spoken, limits: limits)
        _ = session.opened()
        _ = session.received(#"{"type":"connection_ack"}"#)
        return session
    }

    @Test("a conversation of graphql-transport-ws")
    func transport() {
        var session = SocketClientSession(
            .graphqlTransportWs,
            payload: .members(["Authorization": .string("Bearer x")])
        )
        #expect(
            Self.words(session.opened()) == [#"{"type":"connection_init","payload":{"Authorization":"Bearer x"}}"#]
        )
        // What is early waits for the acknowledgement, and what was given up meanwhile is never sent.
        let (first, early) = session.subscribe(GraphQLRequest("{a}"))
        let (second, _) = session.subscribe(GraphQLRequest("{b}"))
        #expect(early.isEmpty && session.unsubscribe(second).isEmpty && session.ping().isEmpty)
        #expect(
            Self.words(session.received(#"{"type":"connection_ack","payload":{"c":1}}"#))
                == [#"acknowledged {"c":1}"#, #"{"id":"1","type":"subscribe","payload":{"query":"{a}"}}"#]
        )
        #expect(
            Self.words(session.received(#"{"id":"1","type":"next","payload":{"data":{"a":1}}}"#))
                == [#"1 next {"data":{"a":1}}"#]
        )
        #expect(
            Self.words(session.received(#"{"type":"ping","payload":{"d":1}}"#))
                == [#"{"type":"pong","payload":{"d":1}}"#]
        )
        #expect(Self.words(session.ping()) == [#"{"type":"ping"}"#])
        #expect(Self.words(session.unsubscribe(first)) == [#"{"id":"1","type":"complete"}"#])
        #expect(session.received(#"{"id":"1","type":"next","payload":{}}"#).isEmpty)
        let (third, actions) = session.subscribe(GraphQLRequest("{c}"))
        #expect(third == "3")
        #expect(Self.words(actions) == [#"{"id":"3","type":"subscribe","payload":{"query":"{c}"}}"#])
        #expect(
            Self.words(session.received(#"{"id":"3","type":"error","payload":[{"message":"e"}]}"#))
                == [#"3 error [{"message":"e"}]"#]
        )
        #expect(session.received(#"{"id":"3","type":"complete"}"#).isEmpty)
        #expect(session.stray == 2)
        #expect(Self.words(session.close(.normal)) == ["close 1000 "])
        #expect(
            session.received(#"{"type":"ping"}"#).isEmpty && session.subscribe(GraphQLRequest("{d}")).actions.isEmpty
        )
    }

    @Test("a conversation of the older graphql-ws")
    func older() {
        var session = SocketClientSession(.subscriptionsTransportWs)
        #expect(Self.words(session.opened()) == [#"{"type":"connection_init"}"#])
        _ = session.subscribe(GraphQLRequest("{a}"))
        #expect(!session.isKeptAlive && session.received(#"{"type":"ka"}"#).isEmpty && session.isKeptAlive)
        #expect(
            Self.words(session.received(#"{"type":"connection_ack","payload":"odd"}"#))
                == [#"acknowledged "odd""#, #"{"id":"1","type":"start","payload":{"query":"{a}"}}"#]
        )
        #expect(
            Self.words(session.received(#"{"id":"1","type":"data","payload":{"data":1}}"#)) == [#"1 next {"data":1}"#]
        )
        #expect(session.ping().isEmpty)
        #expect(Self.words(session.unsubscribe("1")) == [#"{"id":"1","type":"stop"}"#])
        #expect(Self.words(session.close(.normal)) == [#"{"type":"connection_terminate"}"#, "close 1000 "])
    }

    @Test(
        "an error of the older protocol has several forms",
        arguments: [
            (#"{"message":"a"}"#, #"[{"message":"a"}]"#), (#"[{"message":"a"}]"#, #"[{"message":"a"}]"#),
            (#"{"message":"a","errors":[{"message":"a"},{"message":"b"}]}"#, #"[{"message":"a"},{"message":"b"}]"#),
            (#""a""#, #"[{"message":"a"}]"#),
        ]
    )
    func olderErrors(payload: String, errors: String) {
        var session = Self.acknowledged(.subscriptionsTransportWs)
        _ = session.subscribe(GraphQLRequest("{a}"))
        #expect(
            Self.words(session.received(#"{"id":"1","type":"error","payload":\#(payload)}"#)) == ["1 error \(errors)"]
        )
    }

    @Test(
        "a server that violates the protocol is disconnected",
        arguments: [
            (.graphqlTransportWs, "{", 4_004), (.graphqlTransportWs, #"{"type":"data","id":"1","payload":{}}"#, 4_004),
            (.graphqlTransportWs, #"{"type":"next","id":"1"}"#, 4_004),
            (.graphqlTransportWs, #"{"type":"next","id":1,"payload":{}}"#, 4_004),
            (.graphqlTransportWs, #"{"type":"next","id":"1","payload":[]}"#, 4_004),
            (.graphqlTransportWs, #"{"type":"error","id":"1","payload":{}}"#, 4_004),
            (.graphqlTransportWs, #"{"type":"subscribe","id":"1","payload":{"query":""}}"#, 4_004),
            (.graphqlTransportWs, String(repeating: "[", count: 3_000), 4_004),
            (.graphqlTransportWs, String(repeating: " ", count: 5_000), 1_009),
            (.subscriptionsTransportWs, #"{"type":"next","id":"1","payload":{}}"#, 4_004),
        ] as [(SocketProtocol, String, Int)]
    )
    func breaches(spoken: SocketProtocol, text: String, code: Int) {
        var limits = SocketClientSession.Limits()
        limits.message = .bytes(4_000)
        var session = Self.acknowledged(spoken, limits: limits)
        _ = session.subscribe(GraphQLRequest("{a}"))
        let words = Self.words(session.received(text))
        #expect(words.count == 1 && words[0].hasPrefix("close \(code) "), "\(words)")
        #expect(session.received(#"{"type":"ping"}"#).isEmpty)
    }

    @Test("messages for unknown ids are counted, and a flood of them closes the connection")
    func stray() {
        var session = Self.acknowledged(.graphqlTransportWs)
        _ = session.subscribe(GraphQLRequest("{a}"))
        let odd = #"{"id":"7","type":"next","payload":{}}"#
        for _ in 0..<5 {
            for _ in 0..<1_000 { #expect(session.received(odd).isEmpty) }
            #expect(session.received(#"{"id":"1","type":"next","payload":{}}"#).count == 1)
        }
        #expect(session.stray == 5_000)
        for _ in 0..<1_000 { #expect(session.received(odd).isEmpty) }
        #expect(
            Self.words(session.received(odd)) == ["close 4004 messages for subscriptions that are not running"]
        )
    }

    @Test("a server without an acknowledgement times out, and a rejection has its reason")
    func unacknowledged() {
        var silent = SocketClientSession(.graphqlTransportWs)
        #expect(Self.words(silent.acknowledgementTimedOut()) == ["close 4504 Connection acknowledgement timeout"])
        var refusing = SocketClientSession(.subscriptionsTransportWs)
        #expect(
            Self.words(refusing.received(#"{"type":"connection_error","payload":{"message":"no"}}"#))
                == [#"refused {"message":"no"}"#, #"{"type":"connection_terminate"}"#, "close 1000 "]
        )
        var acknowledged = Self.acknowledged(.graphqlTransportWs)
        #expect(acknowledged.acknowledgementTimedOut().isEmpty && acknowledged.isAcknowledged)
    }

    @Test(
        "the close code decides whether to reconnect",
        arguments: [
            (.retry, [nil, 1_000, 1_001, 1_005, 1_006, 1_012, 1_013, 1_014, 4_408, 4_504, 3_000, 4_999]),
            (.renewToken, [4_401, 4_403]),
            (
                .fail,
                [1_002, 1_003, 1_007, 1_008, 1_009, 1_011, 1_015, 4_004, 4_005, 4_400, 4_406, 4_409, 4_429, 4_500]
            ),
        ] as [(CloseDecision, [Int?])]
    )
    func decisions(decision: CloseDecision, codes: [Int?]) {
        for code in codes { #expect(CloseDecision(code: code) == decision, "\(code ?? 0)") }
    }

    @Test("the first supported sub-protocol of the client is chosen")
    func choosing() {
        #expect(SocketProtocol.choose(from: ["x", "graphql-ws", "graphql-transport-ws"]) == .subscriptionsTransportWs)
        #expect(SocketProtocol.choose(from: ["graphql-transport-ws", "graphql-ws"]) == .graphqlTransportWs)
        #expect(SocketProtocol.choose(from: ["mqtt"]) == nil)
    }
}

@Suite("GraphQL over server-sent events")
struct StreamMessageTests {
    private static let limits = ReadingLimits.graphQL(upTo: .kibibytes(1))

    @Test("results and completion round-trip")
    func roundTrip() throws {
        let next = StreamMessage.next(.members(["data": .integer(1)]))
        #expect(next.name == "next" && next.data == #"{"data":1}"#)
        guard case .next(let result)? = try StreamMessage(event: next.name, data: next.data, limits: Self.limits) else {
            return #expect(Bool(false))
        }
        #expect(result.text() == next.data)
        #expect(StreamMessage.complete.name == "complete" && StreamMessage.complete.data.isEmpty)
        guard case .complete? = try StreamMessage(event: "complete", data: "", limits: Self.limits) else {
            return #expect(Bool(false))
        }
    }

    @Test("events of other names are ignored, invalid data is rejected")
    func strange() throws {
        #expect(try StreamMessage(event: nil, data: "{}", limits: Self.limits) == nil)
        #expect(try StreamMessage(event: "ping", data: "x", limits: Self.limits) == nil)
        for data in [
            "", "[]", "{", "1", String(repeating: "[", count: 900),
            #"{"a":"\#(String(repeating: "b", count: 2_000))"}"#,
        ] {
            #expect(throws: Fault.self) { try StreamMessage(event: "next", data: data, limits: Self.limits) }
        }
    }
}
