import Synchronization
package import WireBase

/// The server side of a WebSocket connection.
///
/// One task receives; any task may send. ``serve(on:framing:limits:clock:_:)`` handles pings, the closing handshake and
/// the send buffer.
package final class AcceptedSocket: Sendable {
    package struct Limits: Sendable {
        /// The maximum size of an incoming message.
        package var message: ByteCount = .mebibytes(1)
        /// The maximum size of the send buffer, for a client that reads slowly.
        package var unsent: ByteCount = .mebibytes(4)
        /// The silence after which the client is pinged.
        package var silence: Duration = .seconds(20)
        /// Whether binary messages are received too; otherwise they are refused with 1003.
        package var acceptsBinary = false
        /// The timeout for a pong, for reading sent data, and for the closing handshake.
        package var patience: Duration = .seconds(10)

        package init() {}
    }

    /// Why nothing more is received.
    package enum End: Sendable, Equatable {
        /// The client has closed the connection, or has confirmed a close.
        case closed(WebSocketClose)
        /// The client's data was rejected with this close.
        case refused(WebSocketClose)
        /// The connection was lost or given up.
        case lost(String)
    }

    package enum Received: Sendable, Equatable {
        case text(String)
        /// A binary message, where they are accepted.
        case binary([UInt8])
        case end(End)
    }

    private struct State {
        var events: [WebSocketEvent] = []
        var end: End?
        var unsent: [UInt8] = []
        /// The number of bytes sent without waiting for room.
        var hasty = 0
        /// Whether to close after the unsent bytes.
        var isEnding = false
        /// Whether to write no more bytes at all.
        var isCut = false

        mutating func cut(_ reason: String) {
            end = end ?? .lost(reason)
            (isCut, unsent, hasty) = (true, [], 0)
        }
    }

    private let frames: any WebSocketFrames
    private let stream: any ByteStream
    private let limits: Limits
    private let state = Mutex(State())
    private let outgoing = Wakeup()
    private let written = ChangeSignal()
    private let turns = AsyncMutex()
    private let closing = OneShot()

    /// Signals all data from the client, pongs too, as long as a task receives.
    package let heard = ChangeSignal()

    private static let piece = 65_536

    private init(_ frames: any WebSocketFrames, _ stream: any ByteStream, _ limits: Limits) {
        (self.frames, self.stream, self.limits) = (frames, stream, limits)
    }

    // MARK: Receiving

    /// Returns the next message, or the end; after the end, always the end.
    package func receive() async -> Received {
        var isAsked = false
        while true {
            if let received = next() { return received }
            do {
                let patience = isAsked ? limits.patience : limits.silence
                guard let bytes = try await stream.read(upTo: .bytes(Self.piece), within: patience) else {
                    // The stream has ended: send a close to a client that is still connected.
                    _ = close(.goingAway)
                    lose("the connection has ended")
                    continue
                }
                isAsked = false
                heard.signal()
                let events = frames.consume(bytes)
                // Reversed, so that each event is removed from the end; all earlier ones have been received.
                state.withLock { $0.events = events.reversed() }
                flush()
            } catch is StreamTimeout where !isAsked {
                isAsked = true
                if frames.ping() { flush() }
            } catch is StreamTimeout {
                lose("the client did not answer a ping in time")
            } catch {
                lose("the connection was cut")
            }
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

    /// Sends a text without waiting; returns false where the socket is closed or the send buffer is full.
    @discardableResult
    package func send(_ text: String, isHasty: Bool = true) -> Bool { give(isHasty: isHasty) { $0.send(text) } }

    /// Sends a binary message without waiting; returns false where the socket is closed or the send buffer is full.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { give { $0.send(bytes) } }

    /// The number of bytes in the send buffer.
    package var unsent: ByteCount { .bytes(state.withLock { $0.unsent.count }) }

    /// Pings the client, besides the pings after a silence; returns false where the socket is closed.
    package func ping() -> Bool { give { $0.ping() } }

    /// Starts the closing handshake; texts that arrive before it completes can still be received.
    @discardableResult
    package func close(_ close: WebSocketClose) -> Bool {
        let isBegun = give { $0.close(close) }
        closing.fire()
        return isBegun
    }

    /// Waits for room in the send buffer, then calls `work` to send.
    ///
    /// Callers run one at a time, in order, so that concurrent senders share the buffer fairly. `work` may send texts
    /// of any size.
    package func sendInTurn(_ work: () -> Void) async {
        await turns.alone {
            await room()
            guard !Task.isCancelled, state.withLock({ !$0.isCut }) else { return }
            work()
        }
        // Work that only sends must still allow other tasks to cancel it.
        if isCut { await Task.yield() }
    }

    private func room() async {
        while !Task.isCancelled {
            let count = written.count
            let (isCut, unsent) = state.withLock { ($0.isCut, $0.unsent.count) }
            if isCut || unsent <= limits.unsent.bytes / 2 { return }
            await written.wait(after: count)
        }
    }

    private func flush() { _ = give { _ in true } }

    /// Changes the frames and collects the output under one lock, so that frames keep their order.
    private func give(isHasty: Bool = true, _ work: (any WebSocketFrames) -> Bool) -> Bool {
        let isGiven = state.withLock { state in
            guard !state.isCut, work(frames) else { return false }
            let bytes = frames.takeOutgoing()
            if isHasty { state.hasty += bytes.count }
            guard state.hasty <= limits.unsent.bytes else {
                state.cut("the client does not read")
                return false
            }
            state.unsent += bytes
            return true
        }
        outgoing.wake()
        return isGiven
    }

    /// Writes output until the end; throws where the client does not read.
    private func write() async throws {
        while true {
            let (bytes, isLast) = state.withLock { state in
                defer { (state.unsent, state.hasty) = ([], 0) }
                return (state.isCut ? [] : state.unsent, state.isCut || state.isEnding)
            }
            written.signal()
            for start in stride(from: 0, to: bytes.count, by: Self.piece) {
                let piece = bytes[start..<min(start + Self.piece, bytes.count)]
                try await stream.write(Array(piece), within: limits.patience)
            }
            if bytes.isEmpty {
                if isLast { return }
                try Task.checkCancellation()
                await outgoing.next()
            }
        }
    }

    // MARK: Lifecycle

    private enum Turn: Sendable {
        case worked, written, late
    }

    /// Serves a WebSocket on a stream: runs the work, then closes with its result and waits for the client to close;
    /// cancels the work when the connection is lost.
    ///
    /// Returns false where memory is short.
    @discardableResult
    package static func serve(
        on stream: any ByteStream,
        framing: any WebSocketFraming,
        limits: Limits = Limits(),
        clock: TimeSource,
        _ work: @escaping @Sendable (AcceptedSocket) async -> WebSocketClose
    ) async -> Bool {
        guard let frames = framing.begin(as: .server, limit: limits.message, acceptsBinary: limits.acceptsBinary)
        else { return false }
        let socket = AcceptedSocket(frames, stream, limits)
        await withTaskGroup(of: Turn.self) { group in
            group.addTask {
                socket.close(await work(socket))
                while true { if case .end = await socket.receive() { return .worked } }
            }
            group.addTask {
                do { try await socket.write() } catch { socket.cut("the client does not read") }
                return .written
            }
            group.addTask {
                await socket.closing.wait()
                if !socket.isCut { try? await clock.sleep(limits.patience) }
                return .late
            }
            // After the work ends, the remaining output is written; otherwise the first ending task ends the
            // connection.
            while let turn = await group.next() {
                if turn == .worked { socket.endWriting() } else { socket.cut("the client did not close in time") }
                if turn != .worked { group.cancelAll() }
            }
        }
        return true
    }

    private var isCut: Bool { state.withLock { $0.isCut } }

    private func endWriting() {
        state.withLock { $0.isEnding = true }
        outgoing.wake()
    }

    private func cut(_ reason: String) {
        state.withLock { $0.cut(reason) }
        closing.fire()
        outgoing.wake()
        written.signal()
    }
}
