import Synchronization
package import WireBase
import WireConfig
package import WireHTTP

/// A WebSocket to a server of the file, over the one way on which requests leave.
///
/// One task receives; any may send. It is closed when it is let go of.
package final class ServerSocket: Sendable {
    /// Why there is nothing more to receive.
    package enum End: Sendable, Equatable {
        /// The server has closed it.
        case closed(WebSocketClose)
        /// What the server sent was refused, with this.
        case refused(WebSocketClose)
        /// The connection is gone without a word.
        case lost(String)
    }

    /// What was received.
    package enum Received: Sendable {
        case text(String)
        case end(End)
    }

    private struct State {
        var events: [WebSocketEvent] = []
        var end: End?
        var heard: Duration
    }

    /// The subprotocol the server has chosen.
    package let subprotocol: String?
    private let frames: any WebSocketFrames
    private let body: any BodyReader
    private let outlet: SocketOutlet
    private let clock: Clockwork
    private let state: Mutex<State>

    /// How much waits for a server that does not read.
    fileprivate static let mostWaiting = ByteCount.mebibytes(1)

    fileprivate init(
        _ frames: any WebSocketFrames,
        _ body: any BodyReader,
        _ outlet: SocketOutlet,
        _ subprotocol: String?,
        _ clock: Clockwork
    ) {
        (self.frames, self.body, self.outlet, self.subprotocol) = (frames, body, outlet, subprotocol)
        self.clock = clock
        state = Mutex(State(heard: clock.monotonic()))
    }

    deinit { outlet.end() }

    // MARK: Receiving

    /// The next text, or the end; the end again afterwards.
    package func receive() async -> Received {
        while true {
            if let received = next() { return received }
            let bytes: [UInt8]?
            do {
                bytes = try await body.read()
            } catch {
                lose((error as? TransferFailure)?.reason ?? "the connection was cut")
                continue
            }
            guard let bytes else {
                lose("the connection has ended without a close")
                continue
            }
            let (events, now) = (frames.take(bytes), clock.monotonic())
            state.withLock { state in
                // The last comes first, so that each is taken from the end; all of before have been taken.
                state.events = events.reversed()
                state.heard = now
            }
            flush()
        }
    }

    private func next() -> Received? {
        state.withLock { state in
            while let event = state.events.popLast() {
                switch event {
                case .text(let text): return .text(text)
                case .sign: continue
                case .closed(let close): state.end = state.end ?? .closed(close)
                case .refused(let close): state.end = state.end ?? .refused(close)
                }
            }
            return state.end.map(Received.end)
        }
    }

    private func lose(_ reason: String) { state.withLock { $0.end = $0.end ?? .lost(reason) } }

    // MARK: Sending

    /// Sends a text; one for a connection that is closed is sent nowhere.
    package func send(_ text: String) {
        if frames.send(text) { flush() }
    }

    /// Begins to close; what the server says until it has closed too is still received.
    package func close(_ close: WebSocketClose) {
        if frames.close(close) { flush() }
    }

    private func flush() {
        if outlet.give(frames.takeOutgoing()) { return }
        lose("the server does not read what it is sent")
        outlet.end()
    }

    // MARK: Its life

    /// Asks the server every so often whether it is there; returns when it has said nothing at all in time.
    package func watch(every interval: Duration, within patience: Duration) async throws {
        while true {
            let before = state.withLock { $0.heard }
            try await clock.sleep(interval)
            guard state.withLock({ $0.heard }) == before else { continue }
            guard frames.ping() else { return try await untilHeard(nothingSince: before, within: patience) }
            flush()
            try await clock.sleep(patience)
            if state.withLock({ $0.heard }) == before {
                return lose("the server did not answer a ping within \(patience.inWords)")
            }
        }
    }

    private func untilHeard(nothingSince before: Duration, within patience: Duration) async throws {
        try await clock.sleep(patience)
        if state.withLock({ $0.heard }) == before { lose("the server did not close in time") }
    }

    /// Says what is left to be said, and waits a little for the server to end the connection, as is for it to do.
    package func leave(within patience: Duration) async {
        outlet.end()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [body] in
                // What it goes on to send is nobody's.
                var left = 1_048_576
                while left > 0, let bytes = try? await body.read() { left -= bytes.count }
            }
            group.addTask { [clock] in try? await clock.sleep(patience) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Duration {
    fileprivate var inWords: String { "\(inMicroseconds / 1_000) ms" }
}

/// Why there is no WebSocket.
package enum SocketFailure: Error, Sendable {
    /// The server could not be asked.
    case call(CallFailure)
    /// It answered, and not with a WebSocket.
    case answer(Status, Fields)
    /// It answered with one that cannot be.
    case mismatch(String)
    /// Nothing here can do it.
    case unable(String)
}

extension ServerRequests {
    /// Opens a WebSocket at a `GET` to a server; what else the call says holds for its handshake, tokens and repetitions
    /// included.
    package func open(
        _ call: ServerCall,
        nonce: [UInt8],
        protocols: [String] = [],
        framing: any WebSocketFraming,
        limit: ByteCount,
        clock: Clockwork
    ) async throws(SocketFailure) -> ServerSocket {
        guard let frames = framing.begin(as: .client, limit: limit) else {
            throw .unable("there is no memory for a WebSocket")
        }
        let opening = WebSocketOpening(nonce: nonce, protocols: protocols)
        let outlet = SocketOutlet(limit: ServerSocket.mostWaiting)
        var call = call
        call.fields.add(opening.fields)
        call.body = .upgrade(to: "websocket", outlet)
        call.isLong = true
        if case .address(let address) = call.destination { call.destination = .address(address.overHTTP) }
        let answer: ServerAnswer
        do throws(CallFailure) { answer = try await send(call) } catch { throw .call(error) }
        guard answer.status == .switchingProtocols else { throw .answer(answer.status, answer.fields) }
        do throws(WebSocketMismatch) {
            let subprotocol = try opening.check(answer.fields)
            return ServerSocket(frames, answer.body, outlet, subprotocol, clock)
        } catch {
            outlet.end()
            throw .mismatch(error.reason)
        }
    }
}
