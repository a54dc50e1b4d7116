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
        guard let id = Self.id(of: message) else { return try await session.skip(nil, "the message has no valid id") }
        // It came with the missed messages.
        if session.progress.takeCaughtUp("\(id)") { return }
        // A new message with an id from before the connection is one of a server that was set up again.
        try await store(message, id, position: id <= start ?? 0 ? id : max(id, position ?? id))
    }

    private func store(_ message: JSONValue, _ id: Int, position: Int) async throws(NotificationFailure) {
        // Before anything of a server that was set up again counts: its later messages may have the ids of former ones.
        if let former = self.position, position < former {
            try await session.saveLastEventID(behind: "\(max(0, id - 1))")
        }
        guard (message["priority"]?.integer ?? 0) >= stream.minPriority else {
            return try await session.saveLastEventID(behind: "\(position)")
        }
        _ = try await session.accept(.local(Self.notification(from: message)), id: "\(id)", position: "\(position)")
    }

    private var position: Int? { session.last.flatMap { Int($0) }.flatMap { Self.ids.contains($0) ? $0 : nil } }

    /// Ids are exact in JSON, and can be counted further.
    private static let ids = 0...9_007_199_254_740_991

    private static func id(of message: JSONValue) -> Int? {
        message["id"]?.integer.flatMap { ids.contains($0) ? $0 : nil }
    }

    // MARK: Missed messages

    /// Before the first connection: begins after the newest message, since earlier ones were not meant for this runner.
    func begin() async throws(StreamEnd) {
        guard position == nil else { return }
        let newest = try await page(before: nil, limit: 1).last?.id ?? 0
        try await move(to: newest)
    }

    private func move(to id: Int) async throws(StreamEnd) {
        do throws(NotificationFailure) { try await session.saveLastEventID(behind: "\(id)") } catch {
            throw StreamEnd(error)
        }
    }

    /// Stores all messages after the position, oldest first.
    ///
    /// Pages come newest first. The first pass finds the page that reaches back to the position, and the second goes
    /// forward from there, so that memory holds one page and each page moves the position.
    func catchUp() async throws(StreamEnd) {
        guard let position else { return }
        var page = try await self.page(before: nil)
        guard let newest = page.last?.id else { return }
        // Messages were deleted, or the server was set up again.
        guard newest >= position else { return try await move(to: newest) }
        // New messages must not move the first page: they come over the stream.
        var starts = [newest + 1]
        while let first = page.first?.id, first > position {
            guard starts.count < Self.mostPages else { throw unusable }
            starts.append(first)
            page = try await self.page(before: first)
        }
        while let start = starts.popLast() {
            page = try await self.page(before: start)
            for message in page where message.id > position {
                do throws(NotificationFailure) {
                    try await store(message.json, message.id, position: message.id)
                    session.progress.caughtUp("\(message.id)")
                } catch { throw StreamEnd(error) }
            }
        }
        session.progress.endCatchUp()
    }

    private static let mostPages = 10_000

    /// The messages with ids below one, in ascending order.
    private func page(before id: Int?, limit: Int = pageSize) async throws(StreamEnd) -> [(id: Int, json: JSONValue)] {
        let query = "limit=\(limit)" + (id.map { "&since=\($0)" } ?? "")
        let answer = try await session.read(call(path: "message", query: query), by: requests)
        let json = try? JSONValue(parsing: answer.body, named: "response", limits: .notificationList)
        guard let messages = json?["messages"]?.array else { throw unusable }
        let page = messages.compactMap { message in Self.id(of: message).map { ($0, message) } }.sorted { $0.0 < $1.0 }
        // A server that does not go back would be asked for ever.
        if let id, let last = page.last?.0, last >= id { throw unusable }
        return page
    }

    private var unusable: StreamEnd {
        StreamEnd(.refused, "the response is no page of Gotify messages", at: session.place)
    }

    func call(path: String, query: String? = nil) -> ServerCall {
        var call = session.call(to: .below(stream.url, path: path, query: query))
        call.fields["X-Gotify-Key"] = stream.accessToken.reveal().text
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
        // The time differs between a message of the stream and the same one of a page.
        new.data = .object((message.members ?? []).filter { $0.key != "date" })
        return new.json
    }
}
