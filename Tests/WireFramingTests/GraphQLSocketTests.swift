import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireFraming
import WireGraphQL
import WireHTTP
import WireListener
import WireService
import WireSyncContract

@Suite(
    "GraphQL over WebSocket with a third-party client",
    .enabled(if: Client.isThere),
    .timeLimit(.minutes(1))
)
struct GraphQLSocketTests {
    @Test(
        "a conversation works in either sub-protocol",
        arguments: [
            (
                "graphql-transport-ws",
                [
                    #"{"type":"connection_ack","payload":{"hello":true}}"#,
                    #"{"id":"1","type":"next","payload":{"data":{"n":1}}}"#,
                    #"{"id":"1","type":"next","payload":{"data":{"n":2}}}"#,
                    #"{"id":"1","type":"next","payload":{"data":{"n":3}}}"#, #"{"id":"1","type":"complete"}"#,
                    #"{"id":"2","type":"error","payload":[{"message":"not this"}]}"#,
                    #"{"id":"3","type":"next","payload":{"data":"forever"}}"#,
                    #"{"id":"3","type":"next","payload":{"data":{"n":1}}}"#, #"{"id":"3","type":"complete"}"#,
                ]
            ),
            (
                "graphql-ws",
                [
                    #"{"type":"connection_ack","payload":{"hello":true}}"#, #"{"type":"ka"}"#,
                    #"{"id":"1","type":"data","payload":{"data":{"n":1}}}"#,
                    #"{"id":"1","type":"data","payload":{"data":{"n":2}}}"#,
                    #"{"id":"1","type":"data","payload":{"data":{"n":3}}}"#, #"{"id":"1","type":"complete"}"#,
                    #"{"id":"2","type":"error","payload":{"message":"not this"}}"#,
                    #"{"id":"3","type":"data","payload":{"data":"forever"}}"#,
                    #"{"id":"3","type":"data","payload":{"data":{"n":1}}}"#, #"{"id":"3","type":"complete"}"#,
                ]
            ),
        ]
    )
    func conversation(name: String, texts: [String]) async throws {
        try await SocketPlace().open { place in
            let lines = try await place.client("talk", name)
            #expect(lines == ["speaks \(name)"] + texts + ["pong"])
            await place.ended(1)
        }
    }

    @Test("a thousand subscriptions run on one socket", arguments: SocketProtocol.allCases)
    func many(spoken: SocketProtocol) async throws {
        try await SocketPlace().open { place in
            let lines = try await place.client("many", spoken.rawValue)
            #expect(lines == ["True"])
        }
    }

    @Test("a reading client is never disconnected, however much data it gets", arguments: SocketProtocol.allCases)
    func fanOut(spoken: SocketProtocol) async throws {
        try await SocketPlace().open { place in
            let lines = try await place.client("fanout", spoken.rawValue)
            #expect(lines == ["300"])
        }
    }

    @Test("a result over the limit fails only its request")
    func sizes() async throws {
        try await SocketPlace().open { place in
            let lines = try await place.client("sizes")
            #expect(lines == ["next complete", "error", "next complete"])
        }
    }

    @Test(
        "a client that violates the protocol gets the close code",
        arguments: [
            ("wrong", "graphql-transport-ws", ["closed 4403 not you"]),
            ("wrong", "graphql-ws", ["closed 1011 not you"]),
            ("silent", "graphql-transport-ws", ["closed 4408 Connection initialisation timeout"]),
            ("large", "graphql-transport-ws", ["closed 1009 no more than 60000 bytes are accepted"]),
            ("binary", "graphql-ws", ["closed 1003 only text is accepted"]),
            ("other", "mqtt", ["closed 4406 Subprotocol not acceptable"]),
            ("unmasked", "graphql-transport-ws", ["101", "code 1002"]),
            ("claims", "graphql-transport-ws", ["101", "code 1009"]),
        ]
    )
    func refused(scenario: String, name: String, lines: [String]) async throws {
        try await SocketPlace(initialisation: scenario == "silent" ? .milliseconds(20) : .seconds(60)).open { place in
            let seen = try await place.client(scenario, name)
            #expect(seen == lines)
            await place.ended(1)
        }
    }

    @Test("a client that does not answer a close is disconnected at the timeout")
    func slowClose() async throws {
        try await SocketPlace(patience: .milliseconds(100)).open { place in
            let seen = try await place.client("stubborn")
            #expect(seen == ["101", "code 4403"])
            await place.ended(1)
        }
    }

    @Test("a client that does not read is paused, and disconnected at the timeout")
    func deaf() async throws {
        try await SocketPlace(patience: .milliseconds(500)).open { place in
            let seen = try await place.client("deaf")
            #expect(seen == ["101", "given up"])
            await place.ended(1)
            // Four subscriptions of 50 kB each time, no more of them than there is room for and the sockets hold.
            #expect(place.responder.given.withLock { $0 } < 400)
            #expect(place.responder.running.withLock { $0 } == 0)
        }
    }

    @Test("a client that does not read its pongs is disconnected")
    func pinging() async throws {
        try await SocketPlace().open { place in
            let lines = try await place.client("pinging")
            #expect(lines.first == "101" && lines.last?.hasPrefix("ended") == true, "\(lines)")
            await place.ended(1)
        }
    }

    @Test("operations of a disconnected client end")
    func gone() async throws {
        try await SocketPlace().open { place in
            let seen = try await place.client("gone")
            #expect(seen == ["101", "cut"])
            await place.ended(1)
            #expect(place.responder.running.withLock { $0 } == 0)
        }
    }

    @Test("a stopping server closes its clients", arguments: ["ending", "stopping"])
    func drains(way: String) async throws {
        try await SocketPlace().open { place in
            async let lines = place.client("leaves")
            #expect(await eventually { place.responder.running.withLock { $0 } == 1 })
            if way == "ending" { place.ending.fire() } else { await place.listener.stop(within: .seconds(10)) }
            let seen = try await lines
            #expect(seen == ["running", "closed 1001 "])
            await place.ended(1)
        }
    }
}

/// Answers by what a query says.
final class ScriptedResponder: GraphQLResponder {
    let running = Mutex(0)
    let given = Mutex(0)
    let together = OneShot()

    func admit(_ payload: JSONValue?) async throws(GraphQLRefusal) -> JSONValue? {
        guard payload?["token"]?.string == "right" else { throw GraphQLRefusal("not you") }
        return .members(["hello": .boolean(true)])
    }

    func answer(
        _ request: GraphQLRequest,
        _ give: @escaping @Sendable (JSONValue) async -> Void
    ) async throws(GraphQLRefusal) {
        running.withLock { $0 += 1 }
        defer { running.withLock { $0 -= 1 } }
        let words = request.query?.split(separator: " ") ?? []
        switch words.first {
        case "count"?:
            for number in 1...(words.last.flatMap { Int($0) } ?? 1) {
                await give(.members(["data": .members(["n": .integer(number)])]))
            }
        case "forever"?:
            await give(.members(["data": .string("forever")]))
            await untilCancelled()
        case "burst"?:
            // All of them give at the same time.
            let count = words.last.flatMap { Int($0) } ?? 1
            if running.withLock({ $0 }) == count { together.fire() }
            await together.wait()
            await give(.members(["data": .string(String(repeating: "b", count: 50_000))]))
        case "size"?:
            let size = words.last.flatMap { Int($0) } ?? 1
            await give(.members(["data": .string(String(repeating: "s", count: size))]))
        case "flood"?:
            let result = JSONValue.members(["data": .string(String(repeating: "f", count: 50_000))])
            while !Task.isCancelled {
                await give(result)
                given.withLock { $0 += 1 }
            }
        default: throw GraphQLRefusal("not this")
        }
    }
}

/// A listener with a WebSocket at `/graphql`, on a port of its own.
final class SocketPlace: Responder {
    let responder = ScriptedResponder()
    let ending = OneShot()
    private let finished = Mutex(0)
    private let opened = Mutex<(any Listener)?>(nil)
    private let initialisation: Duration
    private let patience: Duration

    init(initialisation: Duration = .seconds(60), patience: Duration = .seconds(10)) {
        (self.initialisation, self.patience) = (initialisation, patience)
    }

    var listener: any Listener {
        opened.withLock { $0 } ?? HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), limits: ListenerLimits(), self)
    }

    func open(_ body: @Sendable (SocketPlace) async throws -> Void) async throws {
        let listener = listener
        opened.withLock { $0 = listener }
        try listener.start()
        try await withThrowingTaskGroup { group in
            group.addTask { await listener.run() }
            do {
                try await body(self)
            } catch {
                await listener.stop(within: .zero)
                throw error
            }
            await listener.stop(within: .seconds(10))
            try await group.waitForAll()
        }
    }

    func exchange(for head: Request) -> Exchange {
        if head.target.segments == ["served"] {
            return Exchange(.answer(Response(.ok, body: .bytes(Array("\(finished.withLock { $0 })".utf8)))))
        }
        var socket = GraphQLSocket(responder, framing: WslayFraming(), clock: .real, until: ending)
        socket.limits.initialisation = initialisation
        socket.limits.message = .bytes(60_000)
        socket.limits.result = .mebibytes(4)
        socket.socketLimits.patience = patience
        socket.socketLimits.unsent = .kibibytes(512)
        let finished: @Sendable () -> Void = { self.finished.withLock { $0 += 1 } }
        do throws(Problem) {
            return Exchange(.answer(try socket.response(to: head)), finished: finished)
        } catch {
            return Exchange(.answer(error.response), finished: finished)
        }
    }

    /// So many connections have been served to their end.
    func ended(_ count: Int) async {
        #expect(await eventually { self.finished.withLock { $0 } == count })
        #expect(await eventually { self.listener.counts.openConnections == 0 })
    }

    func client(_ scenario: String, _ name: String = "graphql-transport-ws") async throws -> [String] {
        guard case .tcp(_, let port) = listener.endpoint else { return [] }
        return try await Client.run([Client.script, "\(port)", scenario, name])
    }
}

/// The clients of `clients.py`.
enum Client {
    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Clients/clients.py").path
    static let isThere = (try? Program.run(python, ["-c", "import websockets.asyncio.client"]).status) == 0

    /// Runs one aside: the server it asks is in this process.
    static func run(_ arguments: [String]) async throws -> [String] {
        try await withCheckedThrowingContinuation { waiting in
            DispatchQueue.global().async {
                waiting.resume(
                    with: Result {
                        let run = try Program.run(python, arguments)
                        #expect(run.status == 0, "\(run.errors)")
                        return run.output.split(separator: "\n").map(String.init)
                    }
                )
            }
        }
    }
}

extension TimeSource {
    static let real = TimeSource(
        wall: { Int64(Date().timeIntervalSince1970 * 1_000) },
        monotonic: { .nanoseconds(Int64(Monotonic.now)) },
        sleep: { try await Task.sleep(for: $0) }
    )
}
