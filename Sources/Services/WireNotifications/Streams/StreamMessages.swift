import WireBase
import WireConfig
import WireNotificationContract

/// Which messages of a stream are notifications, and where their parts are.
struct StreamMessages: Sendable {
    @Setting var events: [EventType]?
    @Setting var id: FieldPath
    @Setting var payload: PayloadSource?
    @Setting var expires: FieldPath?

    /// Reads the keys; `events` and `id` say what applies without them.
    init(_ keys: inout Keys, events: String, id: String) {
        _events = keys.optional("events", events, .notEmpty, .example("[message, task-changed]"))
        _id = keys.value("id", id, or: FieldPath(known: "id"), .example("meta.id"))
        _payload = StreamKeys.payload(&keys)
        _expires = StreamKeys.expires(&keys)
    }

    var connectionSettings: [String?] {
        [events.map { $0.map(\.text).joined(separator: "\n") }, id.text, expires?.text]
            + (payload?.connectionSettings ?? [nil])
    }

    /// The id of a message by its own field.
    func id(of message: JSONValue) -> String? { message.value(at: id.text).flatMap(\.asName) }

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
        let content: NotificationEnvelope.Content
        switch payload {
        case nil: content = .push(message)
        case .path(let path)?:
            // Other messages, such as welcomes and heartbeats.
            guard let found = message.value(at: path.text) else {
                try await session.saveLastEventID(behind: position)
                return false
            }
            content = .push(found)
        case .fields(let mapping)?:
            guard let notification = mapping.notification(from: message) else {
                try await session.saveLastEventID(behind: position)
                return false
            }
            content = .local(notification)
        }
        if case .push(let found) = content, found.members?.isEmpty != false {
            try await session.skip(position, "the message is not a JSON object")
            return false
        }
        // Zero is no expiry.
        let expiry = expires.flatMap { message.value(at: $0.text) }.flatMap(\.asTime).flatMap { $0 > 0 ? $0 : nil }
        return try await session.accept(content, id: id, expires: expiry, position: position)
    }
}

/// Where a message has its notification.
enum PayloadSource: Sendable {
    /// The payload as a whole.
    case path(FieldPath)
    /// The parts of the notification.
    case fields(PayloadFields)

    var connectionSettings: [String?] {
        switch self {
        case .path(let path): [path.text]
        case .fields(let fields): fields.connectionSettings
        }
    }
}

extension PayloadSource: SettingValue {
    static var form: Form { .either(FieldPath.form, PayloadFields.form) }
    static var placeholder: Self { .path(.placeholder) }

    var literal: Literal {
        switch self {
        case .path(let path): path.literal
        case .fields(let fields): fields.literal
        }
    }

    static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        reader.document.kind(node) == .mapping
            ? PayloadFields.read(node, with: reader).map(Self.fields)
            : FieldPath.read(node, with: reader).map(Self.path)
    }
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

    /// The value as a time, in milliseconds since 1970: seconds, milliseconds, or text in RFC 3339.
    var asTime: Int64? {
        switch self {
        case .string(let text): Timestamp(parsing: text)?.milliseconds
        case .integer(let number): Self.seconds.contains(number) ? Int64(number) * 1_000 : Int64(number)
        case .number(let number) where number.magnitude < 9e15:
            Int64(number.magnitude < Double(Self.seconds.upperBound) ? number * 1_000 : number)
        default: nil
        }
    }

    /// Smaller numbers are seconds: they reach this one in the year 5138, and milliseconds in 1973.
    private static let seconds = -100_000_000_000..<100_000_000_000
}
