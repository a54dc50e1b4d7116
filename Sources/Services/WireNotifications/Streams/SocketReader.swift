import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireSecrets
import WireService
import WireTelemetry

/// Reads notifications from a WebSocket.
struct SocketReader: Sendable {
    let session: StreamSession

    private enum Turn: Sendable {
        case read(StreamEnd), silent, left
    }

    private var stream: NotificationStream { session.stream }
    private var clock: TimeSource { session.present.host.clock }

    func read(by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        let opened = await withCancellation(leave) { () -> Result<ServerSocket, SocketFailure> in
            do throws(SocketFailure) { return .success(try await open(by: requests)) } catch { return .failure(error) }
        }
        switch opened {
        case .success(let socket):
            session.opened()
            return await converse(on: socket, until: leave)
        case .failure(let failure): return end(of: failure)
        case nil: return StreamEnd("the stream was closed by the runner")
        }
    }

    // MARK: Opening

    private func open(by requests: any ServerClient) async throws(SocketFailure) -> ServerSocket {
        let host = session.present.host
        guard let framing = host.find(.webSocketFraming), let nonce = try? host.find(.secrecy)?.random(16) else {
            throw .unable("WebSockets are not available in this program")
        }
        return try await requests.open(
            session.call(by: requests),
            nonce: nonce,
            protocols: stream.subprotocols.map(\.text),
            framing: framing,
            limit: stream.maxMessage,
            clock: clock
        )
    }

    private func end(of failure: SocketFailure) -> StreamEnd {
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

    private func converse(on socket: ServerSocket, until leave: OneShot) async -> StreamEnd {
        greet(socket)
        let end = await withTaskGroup(of: Turn.self) { group in
            group.addTask { .read(await take(from: socket)) }
            group.addTask {
                try? await socket.watch(every: stream.keepAlive.every, within: stream.keepAlive.within)
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
            var end = StreamEnd("the stream was closed by the runner")
            // The other tasks end with reading, and reading with them.
            while let turn = await group.next() {
                group.cancelAll()
                if case .read(let told) = turn { end = told }
            }
            return end
        }
        await socket.leave(within: .seconds(2))
        return end
    }

    private func greet(_ socket: ServerSocket) {
        let last = session.last
        for template in [stream.greeting, last == nil ? nil : stream.resume?.message] {
            guard let template else { continue }
            say(template, on: socket) { $0 == "id" ? last.map(JSONValue.string) : nil }
        }
    }

    private func say(
        _ template: Template,
        on socket: ServerSocket,
        finding find: @escaping @Sendable (String) -> JSONValue?
    ) {
        do throws(TemplateFilling.Failure) {
            socket.send(try TemplateFilling(finding: find).fill(template))
        } catch {
            session.present.host.log.warning(
                "a handler's reply to a stream is ignored",
                ["stream": .text(session.name), "reason": .text("\(error)")]
            )
        }
    }

    private func take(from socket: ServerSocket) async -> StreamEnd {
        var hasRead = false
        while true {
            switch await socket.receive() {
            case .text(let text):
                do throws(NotificationFailure) {
                    try await take(text, from: socket)
                    hasRead = true
                } catch {
                    socket.close(error.kind == .ending ? .goingAway : WebSocketClose(1_011))
                    var end = StreamEnd(error.reason)
                    (end.origin, end.isDeferred) = (error.origin, true)
                    return end
                }
            case .end(let told):
                var end =
                    switch told {
                    case .closed(let close): StreamEnd(close)
                    case .refused(let close):
                        StreamEnd(.refused, "the runner rejected the server's data with \(close.code)\(close.words)")
                    case .lost(let reason): StreamEnd(reason)
                    }
                end.hasRead = hasRead
                if case .refused = told { end.origin = session.place }
                return end
            }
        }
    }

    private func take(_ text: String, from socket: ServerSocket) async throws(NotificationFailure) {
        session.recordData()
        guard !text.isEmpty else { return }
        guard let message = try? JSONValue(parsing: Array(text.utf8), named: "message", limits: .notification) else {
            return try await session.skip(nil, "the message is not JSON")
        }
        if let event = message["event"]?.string, !session.accepts(event) { return session.logSkipped(event) }
        let id = message.value(at: stream.id.text).flatMap(\.asName)
        let payload: JSONValue
        if let path = stream.payload {
            // Other messages, such as welcomes and heartbeats.
            guard let found = message.value(at: path.text) else { return }
            payload = found
        } else {
            payload = message
        }
        guard payload.members?.isEmpty == false else {
            return try await session.skip(id, "the message is not a JSON object")
        }
        guard try await session.accept(payload, id: id), let acknowledge = stream.acknowledge else { return }
        say(acknowledge, on: socket) { message.value(at: $0) ?? ($0 == "id" ? id.map(JSONValue.string) : nil) }
    }
}

extension WebSocketClose {
    fileprivate var words: String { (name.map { ", \($0)" } ?? "") + (reason.isEmpty ? "" : ": \(reason)") }
}

extension JSONValue {
    /// The value as an id: text or a whole number.
    var asName: String? {
        switch self {
        case .string(let text) where !text.isEmpty && text.utf8.count <= 512: text
        case .integer(let number): "\(number)"
        default: nil
        }
    }
}
