import Synchronization
package import WireBase
import WireConfig
package import WireHTTP

/// A WebSocket to a server of the file.
///
/// One task receives; any task may send. Releasing the socket closes it.
package final class ServerSocket: Sendable {
    /// Why nothing more is received.
    package enum End: Sendable, Equatable {
        /// The server has closed the connection.
        case closed(WebSocketClose)
        /// The server's data was rejected with this close.
        case refused(WebSocketClose)
        /// The connection was lost without a close.
        case lost(String)
    }

    /// A received message, or the end.
    package enum Received: Sendable {
        case text(String)
        /// A binary message, where they are accepted.
        case binary([UInt8])
        case end(End)
    }

    private struct State {
        var events: [WebSocketEvent] = []
        var end: End?
        var heard: Duration
    }

    /// The subprotocol chosen by the server.
    package let subprotocol: String?
    private let frames: any WebSocketFrames
    private let body: any BodyReader
    private let outlet: SocketOutlet
    private let clock: TimeSource
    private let state: Mutex<State>

    /// The size limit of the send buffer.
    fileprivate static let mostWaiting = ByteCount.mebibytes(1)

    fileprivate init(
        _ frames: any WebSocketFrames,
        _ body: any BodyReader,
        _ outlet: SocketOutlet,
        _ subprotocol: String?,
        _ clock: TimeSource
    ) {
        (self.frames, self.body, self.outlet, self.subprotocol) = (frames, body, outlet, subprotocol)
        self.clock = clock
        state = Mutex(State(heard: clock.monotonic()))
    }

    deinit { outlet.end() }

    // MARK: Receiving

    /// Returns the next message, or the end; after the end, always the end.
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
            let (events, now) = (frames.consume(bytes), clock.monotonic())
            state.withLock { state in
                // Reversed, so that each event is removed from the end; all earlier ones have been received.
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
                case .binary(let bytes): return .binary(bytes)
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

    /// Sends a text; ignored where the connection is closed.
    package func send(_ text: String) {
        if frames.send(text) { flush() }
    }

    /// Sends a binary message; ignored where the connection is closed.
    package func send(_ bytes: [UInt8]) {
        if frames.send(bytes) { flush() }
    }

    /// Starts the closing handshake; texts that arrive before it completes can still be received.
    package func close(_ close: WebSocketClose) {
        if frames.close(close) { flush() }
    }

    private func flush() {
        if outlet.give(frames.takeOutgoing()) { return }
        lose("the server does not read")
        outlet.end()
    }

    // MARK: Lifecycle

    /// Pings the server when it is silent; returns when it has not responded in time.
    package func watch(every interval: Duration, within patience: Duration) async throws {
        var pinged: (at: Duration, heard: Duration)?
        while true {
            let (heard, now) = (state.withLock { $0.heard }, clock.monotonic())
            if let ping = pinged, ping.heard == heard {
                let left = ping.at + patience - now
                guard left > .zero else {
                    return lose("the server did not answer a ping within \(patience.inWords)")
                }
                // An answer begins the next interval, which may be shorter than the patience.
                try await clock.sleep(min(left, interval))
                continue
            }
            let left = heard + interval - now
            if left > .zero {
                try await clock.sleep(left)
                continue
            }
            guard frames.ping() else { return try await untilHeard(nothingSince: heard, within: patience) }
            flush()
            pinged = (now, heard)
        }
    }

    private func untilHeard(nothingSince before: Duration, within patience: Duration) async throws {
        try await clock.sleep(patience)
        if state.withLock({ $0.heard }) == before { lose("the server did not close in time") }
    }

    /// Sends the remaining bytes and waits briefly for the server to close the connection.
    package func leave(within patience: Duration) async {
        await outlet.leave(body, within: patience, clock)
    }
}

extension Duration {
    fileprivate var inWords: String { "\(inMicroseconds / 1_000) ms" }
}

/// Why a WebSocket was not opened.
package enum SocketFailure: Error, Sendable {
    /// The request failed.
    case call(CallFailure)
    /// The server responded without an upgrade.
    case answer(Status, Fields)
    /// The handshake of the server is invalid.
    case mismatch(String)
    /// WebSockets are not available on this machine.
    case unable(String)
}

extension ServerClient {
    /// Opens a WebSocket with a `GET`; the options of the call, including tokens and retries, apply to the handshake.
    package func open(
        _ call: ServerCall,
        nonce: [UInt8],
        protocols: [String] = [],
        framing: any WebSocketFraming,
        limit: ByteCount,
        acceptsBinary: Bool = false,
        clock: TimeSource
    ) async throws(SocketFailure) -> ServerSocket {
        guard let frames = framing.begin(as: .client, limit: limit, acceptsBinary: acceptsBinary) else {
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
