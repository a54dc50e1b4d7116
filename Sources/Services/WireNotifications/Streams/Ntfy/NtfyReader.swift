import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract

/// Reads the topics of an ntfy server: first what was missed, then what arrives.
///
/// Live messages can arrive before older ones, so the position then moves only once all missed messages have arrived.
struct NtfyReader: Sendable {
    let topics: NtfyTopics
    let session: StreamSession
    let requests: any ServerClient
    /// Called when the server has subscribed the connection to the topics.
    var opened: @Sendable () async throws(NotificationFailure) -> Void = {}
    /// Stores a message with an id, and the position after it.
    let accept: Accept

    typealias Accept =
        @Sendable (JSONValue, _ id: String, _ position: String?) async throws(NotificationFailure) -> Void

    /// How far the stream has come.
    private struct Progress {
        /// Whether all missed messages have arrived.
        var isCurrent: Bool
        /// The position after the last message.
        var position: NtfyPosition?
        /// The server's time at the request for missed messages.
        var asked: Int?
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
        // Without a position only new messages are sent. The missed ones of a poll come in the order of their times: a
        // connection that breaks before their end must not have been in vain.
        let progress = Mutex(Progress(isCurrent: position == nil || poll, position: position))
        let reader = HTTPStreamReader(
            session: session,
            idleLimit: topics.idleLimit,
            mediaTypes: JSONLinesStream.mediaTypes,
            decoder: LineDecoder(),
            isPoll: poll
        )
        var end = await reader.read(
            call(poll: poll),
            by: requests,
            opened: { fields in
                guard poll, let date = fields["Date"].flatMap({ HTTPDate(parsing: $0) }) else { return }
                progress.withLock { $0.asked = Int(date.seconds) }
            }
        ) { line async throws(NotificationFailure) in
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
            guard let id = message["id"]?.asName else {
                try await session.skip(nil, "the message has no id")
                return true
            }
            let known = progress.withLock { $0.position?.contains(id) ?? false }
            guard !known else { return true }
            let (isCurrent, next) = progress.withLock { state in
                if let time {
                    if state.position == nil { state.position = NtfyPosition(time: time) }
                    state.position?.move(to: id, at: time, asked: state.asked)
                }
                return (state.isCurrent, state.position)
            }
            try await accept(message, id, isCurrent ? next?.text : nil)
        case "open":
            try await opened()
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
        var query = topics.filters
        if poll { query.append("poll=1") }
        if let position { query.append("since=\(position.time)") }
        var call = session.call(
            to: .below(
                topics.url,
                path: "\(topics.list)/json",
                query: query.isEmpty ? nil : query.joined(separator: "&")
            )
        )
        call.secretInPath = Secret(topics.list)
        call.fields["Authorization"] = topics.authorization?.reveal()
        return call
    }
}

/// Topics of an ntfy server, and how they are read.
struct NtfyTopics: Sendable {
    let url: Address
    /// The names, separated by commas.
    let list: String
    let idleLimit: Duration
    /// Parameters that select messages.
    var filters: [String] = []
    /// The value of the header field.
    var authorization: Secret<String>?
}
