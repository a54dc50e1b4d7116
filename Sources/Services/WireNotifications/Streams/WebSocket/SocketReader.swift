import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireSecrets
import WireService

/// Reads the messages of a WebSocket until it ends.
struct SocketReader: Sendable {
    let session: StreamSession
    var subprotocols: [String] = []
    let keepAlive: KeepAlive
    let limit: ByteCount
    /// Whether the connection is good as soon as it is open.
    var isGoodOnceOpen = true

    private enum Turn: Sendable {
        case read(StreamEnd), caughtUp, silent, left
    }

    typealias Take = @Sendable ([UInt8], ServerSocket) async throws(NotificationFailure) -> Bool

    private var clock: TimeSource { session.present.host.clock }

    /// Opens the WebSocket and reads it; `greet` runs at once, `opened` before the first message is taken, and
    /// `meanwhile` beside reading.
    ///
    /// `take` returns whether the message shows that the connection is good.
    func read(
        _ call: ServerCall,
        by requests: any ServerClient,
        until leave: OneShot,
        greet: @Sendable (ServerSocket) -> Void = { _ in },
        opened: @escaping @Sendable () async throws(StreamEnd) -> Void = {},
        meanwhile: @escaping @Sendable (ServerSocket) async -> Void = { _ in },
        _ take: @escaping Take
    ) async -> StreamEnd {
        let answer = await withCancellation(leave) { () -> Result<ServerSocket, SocketFailure> in
            do throws(SocketFailure) {
                return .success(try await open(call, by: requests))
            } catch {
                return .failure(error)
            }
        }
        switch answer {
        case .success(let socket):
            greet(socket)
            return await converse(on: socket, until: leave, opened: opened, meanwhile: meanwhile, take)
        case .failure(let failure): return end(of: failure)
        case nil: return StreamEnd("the stream was closed by the runner")
        }
    }

    // MARK: Opening

    func open(_ call: ServerCall, by requests: any ServerClient) async throws(SocketFailure) -> ServerSocket {
        let host = session.present.host
        guard let framing = host.find(.webSocketFraming), let nonce = try? host.find(.secrecy)?.random(16) else {
            throw .unable("WebSockets are not available in this program")
        }
        return try await requests.open(
            call,
            nonce: nonce,
            protocols: subprotocols,
            framing: framing,
            limit: limit,
            acceptsBinary: true,
            clock: clock
        )
    }

    func end(of failure: SocketFailure) -> StreamEnd {
        var end: StreamEnd
        switch failure {
        case .call(let failure): return StreamEnd(failure)
        case .answer(let status, let fields):
            end = StreamEnd(status, fields, at: clock.wall(), origin: session.place)
            end.reason += ", and no WebSocket"
            // 200 is the response of a server without WebSockets.
            if status.code < 400 { end.kind = .refused }
        case .mismatch(let reason), .unable(let reason): end = StreamEnd(.refused, reason)
        }
        end.origin = session.place
        return end
    }

    // MARK: The conversation

    private func converse(
        on socket: ServerSocket,
        until leave: OneShot,
        opened: @escaping @Sendable () async throws(StreamEnd) -> Void,
        meanwhile: @escaping @Sendable (ServerSocket) async -> Void,
        _ take: @escaping Take
    ) async -> StreamEnd {
        let inbox = SocketInbox()
        let end = await withTaskGroup(of: Turn.self) { group in
            group.addTask {
                do throws(StreamEnd) { try await opened() } catch {
                    socket.close(WebSocketClose(1_011))
                    return .read(error)
                }
                if isGoodOnceOpen { session.opened() }
                return await takeWaiting(in: inbox, from: socket, take).map(Turn.read) ?? .caughtUp
            }
            group.addTask { .read(await read(from: socket, inbox, take)) }
            group.addTask {
                await meanwhile(socket)
                return .caughtUp
            }
            group.addTask {
                // Until then reading pauses while too much waits, and pongs with it.
                await inbox.opened.wait()
                try? await socket.watch(every: keepAlive.every, within: keepAlive.within)
                return .silent
            }
            group.addTask {
                await leave.wait()
                guard leave.hasFired else { return .left }
                socket.close(.goingAway)
                // The server usually responds to the close at once.
                try? await clock.sleep(.seconds(3))
                return .left
            }
            var end: StreamEnd?
            // The other tasks end with reading, and reading with them.
            while let turn = await group.next() {
                if case .caughtUp = turn { continue }
                group.cancelAll()
                inbox.ended.fire()
                if case .read(let told) = turn { end = end ?? told }
            }
            return end ?? StreamEnd("the stream was closed by the runner")
        }
        await socket.leave(within: .seconds(2))
        return end
    }

    /// Receives until the end; what arrives before ``takeWaiting(in:from:_:)`` is done waits for it.
    private func read(
        from socket: ServerSocket,
        _ inbox: SocketInbox,
        _ take: Take
    ) async -> StreamEnd {
        while true {
            let received = await socket.receive()
            if let isLast = inbox.add(received) {
                guard isLast else {
                    await inbox.waitForRoom()
                    continue
                }
                await inbox.ended.wait()
                return StreamEnd("the stream was closed by the runner")
            }
            if let end = await self.take(received, from: socket, inbox, take) { return end }
        }
    }

    /// Takes the messages that have waited; returns the end if there is one among them.
    private func takeWaiting(
        in inbox: SocketInbox,
        from socket: ServerSocket,
        _ take: Take
    ) async -> StreamEnd? {
        while let received = inbox.next() {
            if let end = await self.take(received, from: socket, inbox, take) { return end }
        }
        return nil
    }

    private func take(
        _ received: ServerSocket.Received,
        from socket: ServerSocket,
        _ inbox: SocketInbox,
        _ take: Take
    ) async -> StreamEnd? {
        let bytes: [UInt8]
        switch received {
        case .text(let text): bytes = Array(text.utf8)
        case .binary(let binary): bytes = binary
        case .end(let told):
            var end = StreamEnd(told)
            end.hasRead = inbox.hasRead.hasFired
            if case .refused = told { end.origin = session.place }
            return end
        }
        do throws(NotificationFailure) {
            if try await take(bytes, socket) {
                session.recordData()
                inbox.hasRead.fire()
            }
        } catch {
            socket.close(error.kind == .ending ? .goingAway : WebSocketClose(1_011))
            return StreamEnd(error)
        }
        return nil
    }
}

extension StreamEnd {
    /// Makes the end of a WebSocket.
    init(_ end: ServerSocket.End) {
        switch end {
        case .closed(let close): self.init(close)
        case .refused(let close):
            self.init(.refused, "the runner rejected the server's data with \(close.code)\(close.words)")
        case .lost(let reason): self.init(reason)
        }
    }
}

extension WebSocketClose {
    fileprivate var words: String { (name.map { ", \($0)" } ?? "") + (reason.isEmpty ? "" : ": \(reason)") }
}
