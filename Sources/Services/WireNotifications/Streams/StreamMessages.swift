import WireBase
import WireConfig
import WireNotificationContract

/// Which messages of a stream are notifications, and where their parts are.
struct StreamMessages: Sendable {
    @Setting var events: [EventType]?
    let fields: MessageFields

    /// Reads the keys; `events` and `id` say what applies without them.
    init(_ keys: inout Keys, events: String, id: String) {
        _events = keys.optional("events", events, .notEmpty, .example("[message, task-changed]"))
        fields = MessageFields(&keys, id: id)
    }

    var connectionSettings: [String?] {
        [events.map { $0.map(\.text).joined(separator: "\n") }] + fields.connectionSettings
    }

    func id(of message: JSONValue) -> String? { fields.id(of: message) }

    /// Stores the notification of a message with its type and its id in fields; returns whether it was stored.
    func accept(typed message: JSONValue, in session: StreamSession) async throws(NotificationFailure) -> Bool {
        if let event = message["event"]?.string, let events, !events.contains(where: { $0.text == event }) {
            session.logSkipped(event)
            try await session.saveLastEventID(behind: id(of: message))
            return false
        }
        let id = id(of: message)
        // It came with the missed messages.
        if let id, session.progress.takeCaughtUp(id) { return true }
        return try await accept(message, id: id, position: id, in: session)
    }

    /// Stores the notification of a message; returns whether it was stored.
    ///
    /// `position` is the transport's position after the message, where it differs from the id.
    func accept(_ message: JSONValue, id: String?, position: String?, in session: StreamSession)
        async throws(NotificationFailure) -> Bool
    {
        // Other messages, such as welcomes and heartbeats.
        guard let content = fields.content(of: message) else {
            try await session.saveLastEventID(behind: position)
            return false
        }
        if case .push(let found) = content, found.members?.isEmpty != false {
            try await session.skip(position, "the message is not a JSON object")
            return false
        }
        return try await session.accept(content, id: id, expires: fields.expiry(of: message), position: position)
    }
}
