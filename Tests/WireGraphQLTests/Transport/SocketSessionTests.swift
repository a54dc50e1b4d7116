import Testing
import WireBase
import WireConfig
import WireGraphQL

/// An end of a conversation whose actions are written as words, one a line.
private struct Spoken {
    var server: SocketServerSession
    var keys: [String: SocketServerSession.Key] = [:]

    init(_ spoken: SocketProtocol, limits: SocketServerSession.Limits = .init()) {
        server = SocketServerSession(spoken, limits: limits)
    }

    mutating func take(_ text: String) -> [String] {
        let actions = server.received(text)
        return words(actions)
    }

    mutating func words(_ actions: [SocketServerSession.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let text): return text
            case .awaitInitialisation(let patience): return "await \(patience)"
            case .authorise(let payload): return "authorise \(payload?.text() ?? "-")"
            case .start(let key, let request):
                keys[key.id] = key
                return "start \(key.id) \(request.query ?? "-")"
            case .stop(let key): return "stop \(key.id)"
            case .close(let close): return "close \(close.code) \(close.reason)"
            }
        }
    }

    /// A session of which the client has been let in.
    static func accepted(_ spoken: SocketProtocol, limits: SocketServerSession.Limits = .init()) -> Spoken {
        var session = Spoken(spoken, limits: limits)
        _ = session.take(#"{"type":"connection_init"}"#)
        _ = session.server.accept()
        return session
    }
}

private let subscribe = #"{"id":"1","type":"subscribe","payload":{"query":"{a}"}}"#
private let start = #"{"id":"1","type":"start","payload":{"query":"{a}"}}"#

@Suite("GraphQL over WebSocket: server")
struct SocketServerSessionTests {
    @Test("a conversation of graphql-transport-ws")
    func transport() throws {
        var session = Spoken(.graphqlTransportWs)
        #expect(session.words(session.server.opened()) == ["await 3.0 seconds"])
        #expect(session.take(#"{"type":"ping","payload":{"a":1}}"#) == [#"{"type":"pong","payload":{"a":1}}"#])
        #expect(
            session.take(#"{"type":"connection_init","payload":{"Authorization":"x"}}"#)
                == [#"authorise {"Authorization":"x"}"#]
        )
        let accepted = session.server.accept(.members(["b": .integer(1)]))
        #expect(session.words(accepted) == [#"{"type":"connection_ack","payload":{"b":1}}"#])
        #expect(session.server.initialisationTimedOut().isEmpty)
        #expect(session.take(subscribe) == ["start 1 {a}"])
        let first = try #require(session.keys["1"])
        #expect(
            session.words(session.server.next(first, .members(["data": .null])))
                == [#"{"id":"1","type":"next","payload":{"data":null}}"#]
        )
        let completed = session.server.complete(first)
        #expect(session.words(completed) == [#"{"id":"1","type":"complete"}"#])
        // The id is free again, and what was it before is not it.
        #expect(session.take(subscribe) == ["start 1 {a}"])
        #expect(session.server.next(first, .null).isEmpty && session.server.complete(first).isEmpty)
        let second = try #require(session.keys["1"])
        let failed = session.server.error(second, [.members(["message": .string("no")])])
        #expect(session.words(failed) == [#"{"id":"1","type":"error","payload":[{"message":"no"}]}"#])
        #expect(session.take(subscribe) == ["start 1 {a}"])
        #expect(session.take(#"{"id":"1","type":"complete"}"#) == ["stop 1"])
        #expect(session.take(#"{"id":"1","type":"complete"}"#) == [])
        #expect(session.server.count == 0)
    }

    @Test("a conversation of the older graphql-ws")
    func older() throws {
        var session = Spoken(.subscriptionsTransportWs)
        #expect(session.take(#"{"type":"connection_init","payload":{}}"#) == ["authorise {}"])
        // Its clients do not wait.
        #expect(session.take(start) == [])
        let accepted = session.server.accept()
        #expect(session.words(accepted) == [#"{"type":"connection_ack"}"#, #"{"type":"ka"}"#, "start 1 {a}"])
        let key = try #require(session.keys["1"])
        #expect(
            session.words(session.server.next(key, .members(["data": .null])))
                == [#"{"id":"1","type":"data","payload":{"data":null}}"#]
        )
        #expect(session.words(session.server.keepAliveDue()) == [#"{"type":"ka"}"#])
        // An id that runs is begun again.
        #expect(session.take(start) == ["stop 1", "start 1 {a}"])
        #expect(session.server.next(key, .null).isEmpty)
        let again = try #require(session.keys["1"])
        let failed = session.server.error(again, [.members(["message": .string("no")])])
        #expect(session.words(failed) == [#"{"id":"1","type":"error","payload":{"message":"no"}}"#])
        #expect(
            session.take(#"{"id":"2","type":"start","payload":{}}"#) == [
                #"{"id":"2","type":"error","payload":{"message":"'query' is missing, expected the text of a GraphQL document"}}"#
            ]
        )
        #expect(session.take(#"{"id":"3","type":"start","payload":{"query":"{c}"}}"#) == ["start 3 {c}"])
        #expect(session.take(#"{"type":"connection_terminate"}"#) == ["stop 3", "close 1000 "])
        #expect(session.take(start) == [])
    }

    @Test("further errors of the older protocol are beside the first")
    func olderErrors() throws {
        var session = Spoken.accepted(.subscriptionsTransportWs)
        _ = session.take(start)
        let key = try #require(session.keys["1"])
        let errors = ["a", "b"].map { JSONValue.members(["message": .string($0)]) }
        let actions = session.server.error(key, errors)
        #expect(
            session.words(actions) == [
                #"{"id":"1","type":"error","payload":{"message":"a","errors":[{"message":"a"},{"message":"b"}]}}"#
            ]
        )
    }

    @Test(
        "a client that violates the protocol gets the close code",
        arguments: [
            (.graphqlTransportWs, ["{"], 4_400), (.graphqlTransportWs, ["[]"], 4_400),
            (.graphqlTransportWs, [#"{"type":1}"#], 4_400), (.graphqlTransportWs, [#"{"type":"start"}"#], 4_400),
            (.graphqlTransportWs, [#"{"type":"next","id":"1","payload":{}}"#], 4_400),
            (.graphqlTransportWs, [#"{"type":"connection_init","payload":[]}"#], 4_400),
            (.graphqlTransportWs, [subscribe], 4_401),
            (.graphqlTransportWs, [#"{"type":"complete","id":"1"}"#], 4_401),
            (.graphqlTransportWs, [#"{"type":"connection_init"}"#, subscribe], 4_401),
            (.graphqlTransportWs, [#"{"type":"connection_init"}"#, #"{"type":"connection_init"}"#], 4_429),
            (.graphqlTransportWs, ["accept", #"{"type":"connection_init"}"#], 4_429),
            (.graphqlTransportWs, ["accept", subscribe, subscribe], 4_409),
            (.graphqlTransportWs, ["accept", #"{"id":"1","type":"subscribe"}"#], 4_400),
            (.graphqlTransportWs, ["accept", #"{"id":"1","type":"subscribe","payload":{"query":1}}"#], 4_400),
            (.graphqlTransportWs, ["accept", #"{"id":"","type":"subscribe","payload":{"query":""}}"#], 4_400),
            (.graphqlTransportWs, ["accept", #"{"id":1,"type":"subscribe","payload":{"query":""}}"#], 4_400),
            (
                .graphqlTransportWs,
                ["accept", #"{"id":"\#(String(repeating: "i", count: 257))","type":"complete"}"#], 4_400
            ),
            (.graphqlTransportWs, [String(repeating: "[", count: 3_000)], 4_400),
            (.graphqlTransportWs, [String(repeating: " ", count: 5_000)], 1_009),
            (.subscriptionsTransportWs, [start], 4_401),
            (.subscriptionsTransportWs, [#"{"type":"ping"}"#], 4_400),
            (.subscriptionsTransportWs, [#"{"type":"connection_init"}"#, #"{"type":"connection_init"}"#], 4_429),
            (.subscriptionsTransportWs, [#"{"type":"connection_init"}"#] + Array(repeating: start, count: 100), 4_400),
        ] as [(SocketProtocol, [String], Int)]
    )
    func breaches(spoken: SocketProtocol, texts: [String], code: Int) {
        var limits = SocketServerSession.Limits()
        limits.message = .bytes(4_000)
        var session = texts.first == "accept" ? Spoken.accepted(spoken, limits: limits) : Spoken(spoken, limits: limits)
        var words: [String] = []
        for text in texts where text != "accept" { words += session.take(text) }
        let closes = words.filter { $0.hasPrefix("close ") }
        #expect(closes.count == 1 && closes.first?.hasPrefix("close \(code) ") == true, "\(words)")
        #expect(words.last?.hasPrefix("close") == true && session.server.count == 0)
    }

    @Test("a late or unauthorized client gets the close code")
    func refused() {
        var late = Spoken(.graphqlTransportWs)
        #expect(late.words(late.server.initialisationTimedOut()) == ["close 4408 Connection initialisation timeout"])
        var stranger = Spoken(.graphqlTransportWs)
        _ = stranger.take(#"{"type":"connection_init"}"#)
        #expect(stranger.words(stranger.server.refuse("token expired")) == ["close 4403 token expired"])
        #expect(stranger.server.accept().isEmpty)
        var older = Spoken(.subscriptionsTransportWs)
        _ = older.take(#"{"type":"connection_init"}"#)
        #expect(
            older.words(older.server.refuse("token expired"))
                == [#"{"type":"connection_error","payload":{"message":"token expired"}}"#, "close 1011 token expired"]
        )
    }

    @Test("a subscription over the limit is rejected, and the others continue", arguments: SocketProtocol.allCases)
    func tooMany(spoken: SocketProtocol) {
        var limits = SocketServerSession.Limits()
        limits.subscriptions = 2
        var session = Spoken.accepted(spoken, limits: limits)
        let type = spoken == .graphqlTransportWs ? "subscribe" : "start"
        let words = (1...3).map { session.take(#"{"id":"\#($0)","type":"\#(type)","payload":{"query":"{a}"}}"#) }
        #expect(words[0] == ["start 1 {a}"] && words[1] == ["start 2 {a}"])
        #expect(words[2].count == 1 && words[2][0].contains("a connection is limited to 2 subscriptions"))
        #expect(session.server.count == 2)
        #expect(session.words(session.server.ended()) == ["stop 1", "stop 2"])
    }
}
