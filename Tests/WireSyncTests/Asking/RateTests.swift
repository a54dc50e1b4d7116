import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireFraming
import WireHTTP
import WireService
import WireSync

@Suite("Rate limits on a WebSocket of the endpoint", .timeLimit(.minutes(2)))
struct RateTests {
    @Test("requests count like those by POST; one over the rate fails its operation")
    func rate() async throws {
        let bench = try await AskBench(
            server: HandServer { _, number in HandServer.data(#"{"now":\#(number)}"#) },
            abilities: [
                Ability.webSocketFraming.offered(by: WslayFraming()),
                ServiceAbility.callerTokens.offered(by: TwoAllowed()),
            ]
        )
        let socket = try await bench.socket()
        socket.send(#"{"type":"connection_init"}"#)
        #expect(try await socket.next()["type"]?.string == "connection_ack")
        for number in 1...3 {
            socket.send(#"{"id":"\#(number)","type":"subscribe","payload":{"query":"{ now }"}}"#)
            let message = try await socket.next()
            #expect(message["type"]?.string == (number < 3 ? "next" : "error"))
            if number < 3 { #expect(try await socket.next()["type"]?.string == "complete") }
            guard number == 3 else { continue }
            let error = message["payload"]?.array?.first
            #expect(error?["message"]?.string == "more requests than there may be")
            #expect(error?["extensions"]?["code"]?.string == "TOO_MANY_REQUESTS")
            #expect(error?["extensions"]?["retryAfter"]?.integer == 7)
        }
        socket.send(#"{"type":"ping"}"#)
        #expect(try await socket.next()["type"]?.string == "pong")
        socket.end()
        await bench.end()
    }

    @Test("sixteen requests run at a time, to limit results for a slow client")
    func places() async throws {
        let barrier = OneShot()
        let server = HandServer { _, number in
            await barrier.wait()
            return HandServer.data(#"{"now":\#(number)}"#)
        }
        let bench = try await AskBench(
            server: server,
            abilities: [Ability.webSocketFraming.offered(by: WslayFraming())]
        )
        let socket = try await bench.socket()
        socket.send(#"{"type":"connection_init"}"#)
        #expect(try await socket.next()["type"]?.string == "connection_ack")
        for number in 0..<20 {
            let query = #"{"query":"query($n: Int) { now(n: $n) }","variables":{"n":\#(number)}}"#
            socket.send(#"{"id":"\#(number)","type":"subscribe","payload":\#(query)}"#)
        }
        #expect(await eventually { server.count == 16 })
        for _ in 0..<200 { await Task.yield() }
        #expect(server.count == 16)
        barrier.fire()
        var completed = 0
        while completed < 20 {
            if try await socket.next()["type"]?.string == "complete" { completed += 1 }
        }
        #expect(server.count == 20)
        socket.end()
        await bench.end()
    }
}

/// Lets an account make two requests.
private final class TwoAllowed: CallerTokens {
    private let count = Mutex(0)

    func rights(ofToken token: String, sentBy request: Request) -> Rights? { nil }

    func refusal(ofRequestBy account: String) -> Problem? {
        let count = count.withLock { count in
            count += 1
            return count
        }
        guard count > 2 else { return nil }
        return Problem(
            .tooManyRequests,
            "too-many-requests",
            "too many requests",
            detail: "more requests than there may be",
            fields: ["Retry-After": "7"]
        )
    }
}

/// The client's end of a WebSocket that the service serves.
final class HandSocket: Sendable {
    private let pipe = HandStream()
    private let frames: any WebSocketFrames
    private let texts = Mutex<[String]>([])
    private let life: Mutex<Task<Void, Never>?> = Mutex(nil)

    init(_ serve: @escaping @Sendable (any ByteStream) async throws -> Void) throws {
        frames = try #require(WslayFraming().begin(as: .client, limit: .mebibytes(1)))
        let pipe = pipe
        life.withLock { $0 = Task { try? await serve(pipe) } }
    }

    func send(_ text: String) {
        _ = frames.send(text)
        pipe.give(frames.takeOutgoing())
    }

    func next() async throws -> JSONValue {
        _ = await eventually { hasText() }
        let text = texts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return try json(try #require(text))
    }

    private func hasText() -> Bool {
        for event in frames.consume(pipe.taken()) {
            if case .text(let text) = event { texts.withLock { $0.append(text) } }
        }
        return texts.withLock { !$0.isEmpty }
    }

    func end() { pipe.end() }
}

private final class HandStream: ByteStream {
    private let incoming = Mutex((bytes: [UInt8](), isOver: false))
    private let outgoing = Mutex<[UInt8]>([])
    private let arrived = ChangeSignal()

    func give(_ bytes: [UInt8]) {
        incoming.withLock { $0.bytes += bytes }
        arrived.signal()
    }

    func end() {
        incoming.withLock { $0.isOver = true }
        arrived.signal()
    }

    func taken() -> [UInt8] {
        outgoing.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    func read(upTo size: ByteCount, within patience: Duration?) async throws -> [UInt8]? {
        while true {
            let count = arrived.count
            let (bytes, isOver) = incoming.withLock { incoming in
                defer { incoming.bytes = [] }
                return incoming
            }
            if !bytes.isEmpty { return bytes }
            if isOver || Task.isCancelled { return nil }
            await arrived.wait(after: count)
        }
    }

    func endWriting() {}

    func write(_ bytes: [UInt8], within patience: Duration?) async throws { outgoing.withLock { $0 += bytes } }
}

extension AskBench {
    func socket() async throws -> HandSocket {
        var request = Request(
            method: .get,
            target: try #require(Target(parsing: "/v1/sync/graphql")),
            fields: [
                "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "graphql-transport-ws",
            ],
            caller: .process(user: 0, group: 0, id: 1)
        )
        request.rights = .everything("test")
        guard case .collect(_, let collect) = Router(service.routes).exchange(for: request).plan,
            case .later(let work) = collect(request), case .upgrade(let serve) = await work().body
        else { throw Unanswered() }
        return try HandSocket(serve)
    }
}
