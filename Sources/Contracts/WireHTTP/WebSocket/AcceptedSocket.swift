import Synchronization
package import WireBase

/// A WebSocket that a client has opened here, on the stream its handshake was answered with.
///
/// One task receives; any may send. Pings, the closing handshake and what waits for a client that reads slowly are looked
/// after by ``serve(on:framing:limits:clock:_:)``.
package final class AcceptedSocket: Sendable {
    package struct Limits: Sendable {
        /// The largest message that is taken.
        package var message: ByteCount = .mebibytes(1)
        /// How much may wait for a client that does not read.
        package var unsent: ByteCount = .mebibytes(4)
        /// How long a client may say nothing before it is asked whether it is there.
        package var silence: Duration = .seconds(20)
        /// How long it has to answer that, to read what it is sent, and to answer a close.
        package var patience: Duration = .seconds(10)

        package init() {}
    }

    /// Why there is nothing more to receive.
    package enum End: Sendable, Equatable {
        /// The client has closed it, or has answered a close.
        case closed(WebSocketClose)
        /// What the client sent was refused, with this.
        case refused(WebSocketClose)
        /// The connection is gone, or the client was given up.
        case lost(String)
    }

    package enum Received: Sendable, Equatable {
        case text(String)
        case end(End)
    }

    private struct State {
        var events: [WebSocketEvent] = []
        var end: End?
        var unsent: [UInt8] = []
        /// How much of it was sent without waiting for room.
        var hasty = 0
        /// Nothing more is written than what is unsent.
        var isEnding = false
        /// Nothing more is written at all.
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
    private let written = Signal()
    private let turns = Turnstile()
    private let closing = OneShot()

    private static let piece = 65_536

    private init(_ frames: any WebSocketFrames, _ stream: any ByteStream, _ limits: Limits) {
        (self.frames, self.stream, self.limits) = (frames, stream, limits)
    }

    // MARK: Receiving

    /// The next text, or the end; the end again afterwards.
    package func receive() async -> Received {
        var isAsked = false
        while true {
            if let received = next() { return received }
            do {
                let patience = isAsked ? limits.patience : limits.silence
                guard let bytes = try await stream.read(upTo: .bytes(Self.piece), within: patience) else {
                    // The client has gone, or the listener is about to: one that is there still hears of it.
                    _ = close(.goingAway)
                    lose("the connection has ended")
                    continue
                }
                isAsked = false
                let events = frames.take(bytes)
                // The last comes first, so that each is taken from the end; all of before have been taken.
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

    /// Sends a text without waiting; false where the socket is closed, or the client has too much unread and is given up.
    @discardableResult
    package func send(_ text: String, isHasty: Bool = true) -> Bool { give(isHasty: isHasty) { $0.send(text) } }

    /// Begins to close; what the client says until it has closed too is still received, for as long as it has time.
    @discardableResult
    package func close(_ close: WebSocketClose) -> Bool {
        let isBegun = give { $0.close(close) }
        closing.fire()
        return isBegun
    }

    /// Waits until the client has read enough for more to be sent, and lets work send it then.
    ///
    /// One at a time, in the order they came: what many send at once finds as much room as what one sends. Texts that are sent
    /// within may be of any size.
    package func sendInTurn(_ work: () -> Void) async {
        await turns.alone {
            await room()
            guard !Task.isCancelled, state.withLock({ !$0.isCut }) else { return }
            work()
        }
        // Work that does nothing but send must not keep others from cancelling it.
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

    /// Does something to the frames and takes what is to be sent for it, both at once: no frame may overtake another.
    private func give(isHasty: Bool = true, _ work: (any WebSocketFrames) -> Bool) -> Bool {
        let isGiven = state.withLock { state in
            guard !state.isCut, work(frames) else { return false }
            let bytes = frames.takeOutgoing()
            if isHasty { state.hasty += bytes.count }
            guard state.hasty <= limits.unsent.bytes else {
                state.cut("the client does not read what it is sent")
                return false
            }
            state.unsent += bytes
            return true
        }
        outgoing.wake()
        return isGiven
    }

    /// Writes what is to be sent until there is no more to come; throws where the client does not take it.
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

    // MARK: Its life

    private enum Turn: Sendable {
        case worked, written, late
    }

    /// Serves a WebSocket on a stream: lets work receive and send, then closes with what the work says and waits for the
    /// client to close as well; cancels the work when the client is gone.
    ///
    /// Returns false where there is no memory for it.
    @discardableResult
    package static func serve(
        on stream: any ByteStream,
        framing: any WebSocketFraming,
        limits: Limits = Limits(),
        clock: Clockwork,
        _ work: @escaping @Sendable (AcceptedSocket) async -> WebSocketClose
    ) async -> Bool {
        guard let frames = framing.begin(as: .server, limit: limits.message) else { return false }
        let socket = AcceptedSocket(frames, stream, limits)
        await withTaskGroup(of: Turn.self) { group in
            group.addTask {
                socket.close(await work(socket))
                while case .text = await socket.receive() {}
                return .worked
            }
            group.addTask {
                do { try await socket.write() } catch { socket.cut("the client does not read what it is sent") }
                return .written
            }
            group.addTask {
                await socket.closing.wait()
                if !socket.isCut { try? await clock.sleep(limits.patience) }
                return .late
            }
            // What is left is written once the work is done; else it ends with whatever ends first.
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
