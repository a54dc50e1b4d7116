import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WirePushContract
import WireStore

/// A notification as it is stored: content, time, source, and the handlers at that time.
struct NotificationEnvelope: Sendable {
    typealias Content = NotificationContent

    /// The user's response to a shown notification.
    struct Tap: Sendable {
        /// The button; nil for the notification itself.
        let button: String?
        /// Milliseconds since 1970.
        let time: Int64
    }

    var id: String
    /// Milliseconds since 1970; strictly increasing within a process.
    var received: Int64
    /// The source: `api`, `embedded`, `receive`, or the name of a stream.
    var way: String
    /// The transport's id for it; needed until its own id is known.
    var carrier: String?
    /// The registrar whose subscription it came by; nil for other transports.
    var registrar: String?
    /// The handlers at the time of arrival; nil where no runner was there, and those of the next one handle it.
    var handlers: [String]?
    /// When it expires, in milliseconds since 1970.
    var expires: Int64?
    /// The path of its picture, where it was fetched already.
    var media: String?
    /// How long the transport may repeat it, where that is known.
    var repeats: Duration?
    var tap: Tap?
    /// The digest of its content, where that differs from the first with its id.
    var update: String?
    var content: Content

    init(id: String, received: Int64, way: String, content: Content) {
        (self.id, self.received, self.way, self.content) = (id, received, way, content)
    }

    init(_ bytes: [UInt8]) throws(JSONMismatch) {
        try self.init(parsing: bytes, named: "notification", toleratesUnknown: true)
    }

    /// The push in the form of handlers.
    func push(_ servers: (any PushServers)?) -> ReceivedPush {
        var push =
            switch content {
            case .push(let payload): servers?.read(payload) ?? PlainPush(payload).push
            case .local(let localValue): LocalNotification(localValue).push
            }
        push.registrar = push.registrar ?? registrar
        return push
    }
}

extension NotificationEnvelope: JSONRecord {
    static let form = JSONForm<Self>("StoredNotification", "A notification as it is stored.", version: 1)

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id.")
        received = try members.required("received", \.received, "The time of arrival.")
        way = try members.required("way", \.way, "The source.")
        carrier = try members.optional("carrier", \.carrier, "The id at the transport.")
        registrar = try members.optional("registrar", \.registrar, "The registrar whose subscription it came by.")
        handlers = try members.optional(
            "handlers",
            { $0.handlers.map { ReadableItems($0) } },
            "The handlers at the time of arrival."
        )?.items
        expires = try members.optional("expires", \.expires, "The expiry.")
        media = try members.optional("media", \.media, "The path of the picture.")
        repeats = try members.optional(
            "repeats",
            { $0.repeats?.milliseconds },
            "How long the transport may repeat it, in milliseconds."
        ).map { .milliseconds($0) }
        tap = try members.optional("tap", \.tap, "The response of the user.")
        update = try members.optional("update", \.update, "The digest of an update.")
        let push = try members.present("push", \.pushPayload, "A payload from a server.")
        let local = try members.present("local", \.localValue, "A notification from this machine.")
        if let push {
            content = .push(push)
        } else if local != nil || members.isDescribing {
            content = .local(local ?? .null)
        } else {
            throw members.mismatch("found neither 'push' nor 'local'", "push")
        }
    }

    private var pushPayload: JSONValue? { if case .push(let payload) = content { payload } else { nil } }
    private var localValue: JSONValue? { if case .local(let value) = content { value } else { nil } }
}

extension NotificationEnvelope.Tap: JSONRecord {
    static let form = JSONForm<Self>("StoredTap", "The response of the user to a shown notification.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        button = try members.optional("button", \.button, "The button.")
        time = try members.value("time", \.time, "The time of the response.", or: 0)
    }
}

extension ReadingLimits {
    /// The stored form is nested slightly deeper than the checked payload.
    static var notification: ReadingLimits {
        var limits = ReadingLimits()
        limits.depth = 40
        limits.nodes = 1_000_000
        limits.scalarLength = .mebibytes(16)
        return limits
    }
}
