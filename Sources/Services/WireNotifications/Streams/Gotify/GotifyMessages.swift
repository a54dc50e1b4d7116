import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract

/// The messages of a Gotify server: those that were missed, page by page, and those that arrive.
///
/// The server sends nothing again by itself. Its ids only grow, so the id of the last stored message is the position.
struct GotifyMessages: Sendable {
    let stream: GotifyStream
    let session: StreamSession
    let requests: any ServerClient

    /// The position when the connection began.
    private let start: Int?

    private static let pageSize = 200

    init(stream: GotifyStream, session: StreamSession, requests: any ServerClient) {
        (self.stream, self.session, self.requests) = (stream, session, requests)
        start = session.last.flatMap { Int($0) }
    }

    // MARK: Live messages

    func take(_ bytes: [UInt8]) async throws(NotificationFailure) {
        guard let message = try? JSONValue(parsing: bytes, named: "message", limits: .notification) else {
            return try await session.skip(nil, "the message is not JSON")
        }
        try await take(message)
    }

    private func take(_ message: JSONValue) async throws(NotificationFailure) {
        guard let id = message["id"]?.integer else { return try await session.skip(nil, "the message has no id") }
        // A message that came with the missed ones does not move the position back. A new message with an id from
        // before the connection is one of a server that was set up again.
        let position = id <= start ?? 0 ? id : max(id, position ?? id)
        guard (message["priority"]?.integer ?? 0) >= stream.minPriority else {
            return try await session.saveLastEventID(behind: "\(position)")
        }
        _ = try await session.accept(.local(Self.notification(from: message)), id: "\(id)", position: "\(position)")
    }

    private var position: Int? { session.last.flatMap { Int($0) } }

    // MARK: Missed messages

    /// Stores all messages after the position, oldest first.
    ///
    /// Pages come newest first. The first pass finds the page that reaches back to the position, and the second goes
    /// forward from there, so that memory holds one page and each page moves the position.
    func catchUp() async throws(StreamEnd) {
        guard let position else { return try await begin() }
        var page = try await self.page(before: nil)
        // New messages must not move the first page: they come over the stream.
        guard let newest = page.last?.id else { return }
        var starts = [newest + 1]
        while let first = page.first?.id, first > position + 1, page.count == Self.pageSize {
            starts.append(first)
            page = try await self.page(before: first)
        }
        while true {
            for message in page where message.id > position {
                do throws(NotificationFailure) { try await take(message.json) } catch { throw StreamEnd(error) }
            }
            starts.removeLast()
            guard let next = starts.last else { return }
            page = try await self.page(before: next)
        }
    }

    /// Begins after the newest message: earlier ones were never meant for this runner.
    private func begin() async throws(StreamEnd) {
        let newest = try await page(before: nil, limit: 1).last?.id ?? 0
        do throws(NotificationFailure) { try await session.saveLastEventID(behind: "\(newest)") } catch {
            throw StreamEnd(error)
        }
    }

    /// The messages with ids below one, in ascending order.
    private func page(before id: Int?, limit: Int = pageSize) async throws(StreamEnd) -> [(id: Int, json: JSONValue)] {
        let query = "limit=\(limit)" + (id.map { "&since=\($0)" } ?? "")
        let answer = try await session.read(call(path: "message", query: query), by: requests)
        let json = try? JSONValue(parsing: answer.body, named: "response", limits: .notification)
        guard let messages = json?["messages"]?.array else {
            throw StreamEnd(.refused, "the response is no page of Gotify messages", at: session.place)
        }
        return messages.compactMap { message in message["id"]?.integer.map { ($0, message) } }.sorted { $0.0 < $1.0 }
    }

    func call(path: String, query: String? = nil) -> ServerCall {
        var call = session.call(to: .below(stream.url, path: path, query: query))
        call.fields["X-Gotify-Key"] = stream.accessToken.reveal()
        return call
    }

    // MARK: Notifications

    /// The notification of a message in corewire's own form.
    static func notification(from message: JSONValue) -> JSONValue {
        var new = NewNotification()
        new.title = message["title"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        new.body = message["message"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let notification = message["extras"]?["client::notification"]
        new.link = notification?["click"]?["url"]?.string
        new.image = notification?["bigImageUrl"]?.string
        let priority = message["priority"]?.integer ?? 0
        // As in Gotify's app: no sound below 4, on top of other windows from 8.
        new.urgency = priority < 4 ? .low : priority < 8 ? .normal : .critical
        if priority >= 4 { new.sound = "default" }
        new.data = message
        return new.json
    }
}
