import Dispatch
import Foundation
import Support
import Testing
import WireBase
import WireHTTP
import WireListener

/// Answers at once, but for one path, which holds its lane until it is let go.
private struct Holding: Responder {
    let gate: DispatchSemaphore
    /// Fired when the lane is held.
    let isHeld = OneShot()

    func exchange(for head: Request) -> Exchange {
        if head.target.segments == ["hold"] {
            isHeld.fire()
            gate.wait()
        }
        return Exchange(.answer(Response(.ok, body: .bytes(Array("here".utf8)))))
    }
}

@Suite("Connection threads of the listener", .timeLimit(.minutes(1)))
struct LaneTests {
    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(short: true) }

    private var path: String { folder.url.appendingPathComponent("s").path }

    /// The library looks at 128 at a time.
    @Test("all connections of a thread are served, however many are ready at once", arguments: [127, 128, 129, 256])
    func crowd(size: Int) async throws {
        let gate = DispatchSemaphore(value: 0)
        let holding = Holding(gate: gate)
        var limits = ListenerLimits()
        limits.connections = 400
        limits.connectionsPerCaller = 400
        let listener = HTTPListener(
            at: .tcp(host: "127.0.0.1", port: 0),
            limits: limits,
            threads: 1,
            holding
        )
        try listener.start()
        guard case .tcp(let host, let port) = listener.endpoint else {
            Issue.record("it has no port")
            return
        }
        var clients: [RawClient] = []
        for _ in 0..<size {
            let client = try await RawClient.connect(to: .tcp(host, port))
            try await client.send(Self.get)
            #expect(try await client.answer().text == "here")
            clients.append(client)
        }
        let holder = try await RawClient.connect(to: .tcp(host, port))
        try await holder.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
        await holding.isHeld.wait()
        for client in clients { try await client.send(Self.get) }
        gate.signal()
        for client in clients + [holder] { #expect(try await client.answer().text == "here") }
        #expect(listener.counts.requests == 2 * size + 1)
        await listener.stop(within: .zero)
    }

    @Test("a slow response on one thread does not block the other")
    func aside() async throws {
        let gate = DispatchSemaphore(value: 0)
        let listener = HTTPListener(at: .tcp(host: "127.0.0.1", port: 0), threads: 2, Holding(gate: gate))
        try listener.start()
        guard case .tcp(let host, let port) = listener.endpoint else {
            Issue.record("it has no port")
            return
        }
        for _ in 0..<3 {
            let holder = try await RawClient.connect(to: .tcp(host, port))
            try await holder.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
            while listener.counts.openConnections < 1 { await Task.yield() }
            // The lane that has fewer takes the next one.
            let other = try await RawClient.connect(to: .tcp(host, port))
            try await other.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try await other.answer().text == "here")
            gate.signal()
            #expect(try await holder.answer().text == "here")
            try await other.close()
            try await holder.close()
            while listener.counts.openConnections > 0 { await Task.yield() }
        }
        await listener.stop(within: .zero)
    }

    private func client() async throws -> RawClient { try await RawClient.connect(to: .unix(path)) }

    private func client(sending text: String) async throws -> RawClient {
        let client = try await client()
        try await client.send(text)
        return client
    }

    private func listener(_ holding: Holding, threads: Int, _ change: (inout ListenerLimits) -> Void) -> HTTPListener {
        var limits = ListenerLimits()
        change(&limits)
        return HTTPListener(at: .unix(path: path, mode: 0o600), limits: limits, threads: threads, holding)
    }

    /// A client whose request holds its thread.
    private func holder(_ holding: Holding) async throws -> RawClient {
        let client = try await client(sending: "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
        await holding.isHeld.wait()
        return client
    }

    @Test("a request that arrived within the time limit is answered, even if its thread reads it later")
    func lateReading() async throws {
        let holding = Holding(gate: DispatchSemaphore(value: 0))
        let listener = listener(holding, threads: 2) { $0.receive = .milliseconds(100) }
        try listener.start()
        let holder = try await holder(holding)
        defer { holding.gate.signal() }
        // The thread with fewer connections gets the next one: this one is on the free thread, the next on the held one.
        let even = try await client(sending: Self.get)
        #expect(try await even.answer().text == "here")
        let unread = try await client(sending: Self.get)
        // Once the second of two later connections has exceeded its limit, all of the listener's checks of the first
        // limit are over.
        for _ in 0..<2 {
            let silent = try await client()
            #expect(try await silent.answer().status == 408)
            while listener.counts.openConnections > 3 { await Task.yield() }
        }
        holding.gate.signal()
        #expect(try await unread.answer().text == "here")
        #expect(try await holder.answer().text == "here")
        await listener.stop(within: .zero)
    }

    @Test("at the connection limit, a connection that its caller has closed makes room before an unused one")
    func endedFirst() async throws {
        let holding = Holding(gate: DispatchSemaphore(value: 0))
        let listener = listener(holding, threads: 1) { ($0.connections, $0.receive) = (3, .seconds(3_600)) }
        try listener.start()
        let ended = try await client(sending: Self.get)
        #expect(try await ended.answer().text == "here")
        let holder = try await holder(holding)
        defer { holding.gate.signal() }
        // The thread is held, and does not notice it.
        try await ended.close()
        let unused = try await client()
        let next = try await client()
        while listener.counts.acceptedConnections < 4 { await Task.yield() }
        holding.gate.signal()
        for client in [unused, next] {
            try await client.send(Self.get)
            #expect(try await client.answer().text == "here")
        }
        #expect(try await holder.answer().text == "here")
        #expect(listener.counts.refusedConnections == 0)
        await listener.stop(within: .zero)
    }

    @Test("a request is answered that was read before its connection made room for another")
    func answeredEvicted() async throws {
        let holding = Holding(gate: DispatchSemaphore(value: 0))
        let listener = listener(holding, threads: 1) { ($0.connections, $0.receive) = (2, .seconds(3_600)) }
        try listener.start()
        // The library has read the head, and the connection does not know the request yet.
        let holder = try await holder(holding)
        defer { holding.gate.signal() }
        let unread = try await client(sending: Self.get)
        let next = try await client(sending: Self.get)
        while listener.counts.acceptedConnections < 3 { await Task.yield() }
        holding.gate.signal()
        for client in [holder, unread, next] { #expect(try await client.answer().text == "here") }
        #expect(try await holder.isEnded())
        #expect(listener.counts.refusedConnections == 0)
        await listener.stop(within: .zero)
    }

    /// Whether the reports of some half-closes stay few while the thread that gets them also accepts 200 connections, one
    /// by one.
    private func staysQuiet(_ listener: HTTPListener, after halfCloses: Int) async throws -> Bool {
        while listener.counts.hangUps < halfCloses { await Task.yield() }
        var others: [RawClient] = []
        defer { withExtendedLifetime(others) {} }
        for _ in 0..<200 {
            let before = listener.counts.acceptedConnections
            others.append(try await client())
            while listener.counts.acceptedConnections == before { await Task.yield() }
        }
        return listener.counts.hangUps < 200
    }

    @Test("a half-close is not reported again and again while its thread is busy")
    func halfClosed() async throws {
        let holding = Holding(gate: DispatchSemaphore(value: 0))
        let listener = listener(holding, threads: 1) {
            ($0.connections, $0.connectionsPerCaller) = (400, 400)
            ($0.receive, $0.idle) = (.seconds(3_600), .seconds(3_600))
        }
        try listener.start()
        let holder = try await holder(holding)
        defer { holding.gate.signal() }
        var clients: [RawClient] = []
        for text in ["", "GET /"] {
            clients.append(try await client(sending: text))
            try await clients.last?.endSending()
        }
        #expect(try await staysQuiet(listener, after: clients.count))
        holding.gate.signal()
        for client in clients { #expect(try await client.isEnded()) }
        #expect(try await holder.answer().text == "here")
        await listener.stop(within: .zero)
    }

    @Test("a half-close in a body is not reported again and again while its handler does not read")
    func halfClosedBody() async throws {
        let gate = OneShot()
        var limits = ListenerLimits()
        (limits.connections, limits.connectionsPerCaller) = (400, 400)
        (limits.receive, limits.idle) = (.seconds(3_600), .seconds(3_600))
        let listener = HTTPListener(
            at: .unix(path: path, mode: 0o600),
            limits: limits,
            threads: 1,
            Planned {
                Exchange(
                    .stream(upTo: nil) { _, body in
                        await gate.wait()
                        await #expect(throws: (any Error).self) { while try await body.read() != nil {} }
                        return Response(.ok)
                    }
                )
            }
        )
        try listener.start()
        async let running: Void = listener.run()
        let body = String(repeating: "x", count: 150_000)
        let client = try await client(sending: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n\(body)")
        try await client.endSending()
        #expect(try await staysQuiet(listener, after: 1))
        gate.fire()
        #expect(try await client.isEnded())
        await listener.stop(within: .zero)
        await running
    }

    private static func connect(to listener: HTTPListener) async throws -> RawClient {
        guard case .tcp(let host, let port) = listener.endpoint else { throw Fault("it has no port") }
        return try await RawClient.connect(to: .tcp(host, port))
    }

    /// The name of the thread that asks.
    private static var thread: String {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return (name ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test(
        "short work runs on the thread of its connection, before and after its waits; long work and large bodies do not",
        arguments: [(true, 10, true), (true, 16_385, false), (false, 10, false)]
    )
    func threads(runsInline: Bool, size: Int, isOnThread: Bool) async throws {
        let listener = HTTPListener(
            at: .tcp(host: "127.0.0.1", port: 0),
            Planned {
                var exchange = Exchange(
                    .collect(upTo: .kibibytes(64)) { _ in
                        .later {
                            let first = Self.thread
                            try? await Task.sleep(for: .milliseconds(1))
                            return Response(.ok, body: .bytes(Array("\(first), \(Self.thread)".utf8)))
                        }
                    }
                )
                exchange.runsInline = runsInline
                return exchange
            }
        )
        try listener.start()
        async let running: Void = listener.run()
        let client = try await Self.connect(to: listener)
        let body = String(repeating: "x", count: size)
        try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n\(body)")
        let text = try await client.answer().text
        #expect((text == "lane, lane") == isOnThread, "\(text)")
        await listener.stop(within: .zero)
        await running
    }

    @Test(
        "a handler that reads a small body starts when it is complete, and does not if the caller leaves before",
        arguments: [true, false]
    )
    func smallBody(comesWhole: Bool) async throws {
        let (began, finished) = (OneShot(), OneShot())
        let listener = HTTPListener(
            at: .tcp(host: "127.0.0.1", port: 0),
            Planned {
                var exchange = Exchange(
                    .stream(upTo: .kibibytes(64)) { _, body in
                        began.fire()
                        var all: [UInt8] = []
                        while let part = try? await body.read() { all += part }
                        return Response(.ok, body: .bytes(all))
                    },
                    finished: { finished.fire() }
                )
                exchange.runsInline = true
                return exchange
            }
        )
        try listener.start()
        async let running: Void = listener.run()
        let client = try await Self.connect(to: listener)
        try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc")
        while listener.counts.requests < 1 { await Task.yield() }
        #expect(!began.hasFired)
        if comesWhole {
            try await client.send("def")
            #expect(try await client.answer().text == "abcdef")
        } else {
            try await client.close()
        }
        await finished.wait()
        #expect(began.hasFired == comesWhole)
        await listener.stop(within: .zero)
        await running
    }
}

/// Answers each request by the same plan.
private struct Planned: Responder {
    let plan: @Sendable () -> Exchange

    init(_ plan: @escaping @Sendable () -> Exchange) { self.plan = plan }

    func exchange(for head: Request) -> Exchange { plan() }
}
