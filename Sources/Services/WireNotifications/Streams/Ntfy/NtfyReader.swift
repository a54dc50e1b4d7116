import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract

/// Reads the topics of an ntfy server: first what was missed, then what arrives.
///
/// Live messages can arrive before older ones, so the position moves only once all missed messages have arrived.
struct NtfyReader: Sendable {
    let stream: NtfyStream
    let session: StreamSession
    let requests: any ServerClient

    /// How far the stream has come.
    private struct Progress {
        /// Whether all missed messages have arrived.
        var isCurrent: Bool
        /// The position after the last message.
        var position: NtfyPosition?
    }

    /// The times that can be positions: up to the year 9999.
    private static let times = 1...253_402_300_799

    private var position: NtfyPosition? { session.last.flatMap { NtfyPosition($0) } }

    func read() async -> StreamEnd {
        if position != nil {
            let end = await request(poll: true)
            guard end.isComplete else { return end }
        }
        return await request(poll: false)
    }

    /// Reads the missed messages until the server ends the response, or the stream.
    private func request(poll: Bool) async -> StreamEnd {
        // Without a position only new messages are sent.
        let progress = Mutex(Progress(isCurrent: position == nil, position: position))
        let reader = HTTPStreamReader(
            session: session,
            idleLimit: stream.idleLimit,
            mediaTypes: JSONLinesStream.mediaTypes,
            decoder: LineDecoder(),
            isPoll: poll
        )
        var end = await reader.read(call(poll: poll), by: requests) { line async throws(NotificationFailure) in
            guard let message = try await session.message(in: line) else { return false }
            return try await take(message, progress)
        }
        guard poll, end.isComplete, let position = progress.withLock(\.position) else { return end }
        do throws(NotificationFailure) { try await session.saveLastEventID(behind: position.text) } catch {
            end = StreamEnd(error)
        }
        return end
    }

    /// Takes a line; returns whether it is one of an ntfy server.
    private func take(_ message: JSONValue, _ progress: borrowing Mutex<Progress>)
        async throws(NotificationFailure) -> Bool
    {
        let time = message["time"]?.integer.flatMap { Self.times.contains($0) ? $0 : nil }
        switch message["event"]?.string {
        case "message":
            guard let notification = NtfyMessage(message) else {
                try await session.skip(nil, "the message has no id")
                return true
            }
            if let time, position?.contains(notification.id, at: time) == true { return true }
            let (isCurrent, next) = progress.withLock { state in
                if let time {
                    if state.position == nil { state.position = NtfyPosition(time: time) }
                    state.position?.move(to: notification.id, at: time)
                }
                return (state.isCurrent, state.position)
            }
            _ = try await session.accept(
                .local(notification.notification),
                id: notification.id,
                position: isCurrent ? next?.text : nil
            )
        case "open":
            // The first connection begins at the server's present time. A position after it is of a clock that was wrong.
            guard let time, position.map({ $0.time > time }) ?? true else { return true }
            progress.withLock { $0.position = NtfyPosition(time: time) }
            try await session.saveLastEventID(behind: "\(time)")
        case "keepalive":
            // The server sends the first one after all missed messages.
            let next = progress.withLock { state in
                defer { state.isCurrent = true }
                return state.isCurrent ? nil : state.position
            }
            if let next { try await session.saveLastEventID(behind: next.text) }
        case "poll_request": break
        case let other?: session.logSkipped(other, help: "")
        case nil: return false
        }
        return true
    }

    // MARK: The request

    private func call(poll: Bool) -> ServerCall {
        let topics = stream.topicList
        var query: [String] = []
        if poll { query.append("poll=1") }
        if let position { query.append("since=\(position.time)") }
        if stream.minPriority > 1 {
            query.append("priority=\((stream.minPriority...5).map(String.init).joined(separator: ","))")
        }
        if !stream.tags.isEmpty {
            query.append("tags=\(stream.tags.map(\.percentEncoded).joined(separator: ","))")
        }
        var call = session.call(
            to: .below(
                stream.url,
                path: "\(topics)/json",
                query: query.isEmpty ? nil : query.joined(separator: "&")
            )
        )
        call.secretInPath = Secret(topics)
        if let token = stream.accessToken {
            call.fields["Authorization"] = "Bearer \(token.reveal())"
        } else if let user = stream.username, let password = stream.password {
            call.fields["Authorization"] = "Basic \(Base64.text(of: Array("\(user):\(password.reveal())".utf8)))"
        }
        return call
    }
}
