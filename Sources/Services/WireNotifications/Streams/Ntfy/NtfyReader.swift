import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract

/// Reads the topics of an ntfy server: first what was missed, then what arrives.
///
/// The position is the server's time of the last message. The server repeats the messages of that second, which are
/// recognized by their ids; an id as the position would miss messages with a delay. Live messages can arrive before
/// older ones, so the position moves only once all missed messages have arrived.
struct NtfyReader: Sendable {
    let stream: NtfyStream
    let session: StreamSession
    let requests: any ServerClient

    /// How far the stream has come.
    private struct Progress {
        /// Whether all missed messages have arrived.
        var isCurrent: Bool
        /// The server's time of the last message, in seconds.
        var last: Int?
    }

    func read() async -> StreamEnd {
        if session.last != nil {
            let end = await request(poll: true)
            guard end.isComplete else { return end }
        }
        return await request(poll: false)
    }

    /// Reads the missed messages until the server ends the response, or the stream.
    private func request(poll: Bool) async -> StreamEnd {
        // Without a position only new messages are sent.
        let progress = Mutex(Progress(isCurrent: session.last == nil))
        let reader = HTTPStreamReader(
            session: session,
            idleLimit: stream.idleLimit,
            mediaTypes: JSONLinesStream.mediaTypes,
            decoder: LineDecoder()
        )
        var end = await reader.read(call(poll: poll), by: requests) { line async throws(NotificationFailure) in
            guard let message = try await session.message(in: line) else { return }
            try await take(message, progress)
        }
        guard poll, end.isComplete, let last = progress.withLock(\.last) else { return end }
        do throws(NotificationFailure) { try await session.saveLastEventID(behind: "\(last)") } catch {
            end = StreamEnd(error)
        }
        return end
    }

    private func take(_ message: JSONValue, _ progress: borrowing Mutex<Progress>) async throws(NotificationFailure) {
        switch message["event"]?.string {
        case "message":
            let isCurrent = progress.withLock { state in
                state.last = message["time"]?.integer ?? state.last
                return state.isCurrent
            }
            let last = progress.withLock(\.last)
            guard let notification = NtfyMessage(message) else {
                return try await session.skip(nil, "the message has no id")
            }
            _ = try await session.accept(
                .local(notification.notification),
                id: notification.id,
                position: isCurrent ? last.map { "\($0)" } : nil
            )
        case "open":
            // The first connection begins at the server's present time.
            guard session.last == nil, let time = message["time"]?.integer else { return }
            try await session.saveLastEventID(behind: "\(time)")
        case "keepalive":
            // The server sends the first one after all missed messages.
            let last = progress.withLock { state in
                defer { state.isCurrent = true }
                return state.isCurrent ? nil : state.last
            }
            if let last { try await session.saveLastEventID(behind: "\(last)") }
        case "poll_request": break
        case let other: session.logSkipped(other ?? "")
        }
    }

    // MARK: The request

    private func call(poll: Bool) -> ServerCall {
        let topics = stream.topics.map { $0.reveal() }.joined(separator: ",")
        var query: [String] = []
        if poll { query.append("poll=1") }
        if let since = session.last { query.append("since=\(since)") }
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
