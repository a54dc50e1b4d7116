import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireSecrets
import WireService
import WireTelemetry

/// Reads the notifications that a server sends over a WebSocket.
struct SocketReading: Sendable {
    let session: StreamSession

    private enum Turn: Sendable {
        case read(StreamEnd), silent, left
    }

    private var stream: NotificationStream { session.stream }
    private var clock: Clockwork { session.present.host.clock }

    func read(by requests: any ServerRequests, until leave: OneShot) async -> StreamEnd {
        let opened = await unless(leave) { () -> Result<ServerSocket, SocketFailure> in
            do throws(SocketFailure) { return .success(try await open(by: requests)) } catch { return .failure(error) }
        }
        switch opened {
        case .success(let socket):
            session.opened()
            return await converse(on: socket, until: leave)
        case .failure(let failure): return end(of: failure)
        case nil: return StreamEnd("it was left")
        }
    }

    // MARK: Opening

    private func open(by requests: any ServerRequests) async throws(SocketFailure) -> ServerSocket {
        let host = session.present.host
        guard let framing = host.find(.webSocketFraming), let nonce = try? host.find(.secrecy)?.random(16) else {
            throw .unable("the program it runs in has no WebSockets")
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
            // 200 is the answer of a server that knows nothing of it.
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
                // The server answers that, most often at once.
                try? await clock.sleep(.seconds(3))
                return .left
            }
            var end = StreamEnd("it was left")
            // The others end when reading does, and reading with them.
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
                "nothing is said to the server of a stream",
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
                    (end.origin, end.isHeldUp) = (error.origin, true)
                    return end
                }
            case .end(let told):
                var end =
                    switch told {
                    case .closed(let close): StreamEnd(close)
                    case .refused(let close):
                        StreamEnd(.refused, "what the server sent was refused with \(close.code)\(close.words)")
                    case .lost(let reason): StreamEnd(reason)
                    }
                end.hasRead = hasRead
                if case .refused = told { end.origin = session.place }
                return end
            }
        }
    }

    private func take(_ text: String, from socket: ServerSocket) async throws(NotificationFailure) {
        session.heard()
        guard !text.isEmpty else { return }
        guard let message = try? JSONValue(parsing: Array(text.utf8), named: "message", limits: .notification) else {
            return try await session.skip(nil, "it is no JSON")
        }
        if let event = message["event"]?.string, !session.isTaken(event) { return session.pass(event) }
        let id = message.value(at: stream.id.text).flatMap(\.asName)
        let payload: JSONValue
        if let path = stream.payload {
            // Welcomes, heartbeats, and whatever else servers say.
            guard let found = message.value(at: path.text) else { return }
            payload = found
        } else {
            payload = message
        }
        guard payload.members?.isEmpty == false else {
            return try await session.skip(id, "it is no object with members")
        }
        guard try await session.take(payload, id: id), let acknowledge = stream.acknowledge else { return }
        say(acknowledge, on: socket) { message.value(at: $0) ?? ($0 == "id" ? id.map(JSONValue.string) : nil) }
    }
}

extension WebSocketClose {
    fileprivate var words: String { (name.map { ", \($0)" } ?? "") + (reason.isEmpty ? "" : ": \(reason)") }
}

extension JSONValue {
    /// The value as the name of something: text or a whole number.
    var asName: String? {
        switch self {
        case .string(let text) where !text.isEmpty && text.utf8.count <= 512: text
        case .integer(let number): "\(number)"
        default: nil
        }
    }
}
