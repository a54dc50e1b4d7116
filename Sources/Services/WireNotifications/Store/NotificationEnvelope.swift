import WireBase
import WireConfig
import WireNotificationContract
import WirePushContract
import WireStore

/// A notification as it is stored: content, time, source, and the handlers at that time.
struct NotificationEnvelope: Sendable {
    /// The content.
    enum Content: Sendable {
        /// A payload from a server.
        case push(JSONValue)
        /// A notification from this machine, in corewire's own form.
        case local(JSONValue)
    }

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
    /// The handlers at the time of arrival; nil where no runner was there, and those of the next one handle it.
    var handlers: [String]?
    /// When it expires, in milliseconds since 1970.
    var expires: Int64?
    /// The path of its picture, where it was fetched already.
    var media: String?
    var tap: Tap?
    /// The digest of its content, where that differs from the first with its id.
    var update: String?
    var content: Content

    /// Why stored bytes cannot be handled.
    enum Unreadable: Error {
        case damaged
        /// A later version of this program has stored it and may still handle it.
        case newer
    }

    private static let version = 1

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("version", .integer(Self.version)), ("id", .string(id)), ("received", .integer(Int(received))),
            ("way", .string(way)),
        ]
        if let carrier { members.append(("carrier", .string(carrier))) }
        if let handlers { members.append(("handlers", .array(handlers.map(JSONValue.string)))) }
        if let expires { members.append(("expires", .integer(Int(expires)))) }
        if let media { members.append(("media", .string(media))) }
        if let tap {
            let told = JSONValue.members(["button": tap.button.map(JSONValue.string), "time": .integer(Int(tap.time))])
            members.append(("tap", told))
        }
        if let update { members.append(("update", .string(update))) }
        switch content {
        case .push(let payload): members.append(("push", payload))
        case .local(let localValue): members.append(("local", localValue))
        }
        return .object(members)
    }

    var bytes: [UInt8] { json.bytes() }

    init(id: String, received: Int64, way: String, content: Content) {
        (self.id, self.received, self.way, self.content) = (id, received, way, content)
    }

    init(_ bytes: [UInt8]) throws(Unreadable) {
        guard let json = try? JSONValue(parsing: bytes, named: "notification", limits: .notification),
            let version = json["version"]?.integer
        else { throw .damaged }
        guard version <= Self.version else { throw .newer }
        guard let id = json["id"]?.string, let received = json["received"]?.integer, let way = json["way"]?.string
        else { throw .damaged }
        if let payload = json["push"] {
            content = .push(payload)
        } else if let localValue = json["local"] {
            content = .local(localValue)
        } else {
            throw .damaged
        }
        (self.id, self.received, self.way) = (id, Int64(received), way)
        carrier = json["carrier"]?.string
        handlers = json["handlers"]?.array?.compactMap(\.string)
        expires = json["expires"]?.integer.map { Int64($0) }
        (media, update) = (json["media"]?.string, json["update"]?.string)
        tap = json["tap"].map { told in
            Tap(button: told["button"]?.string, time: Int64(told["time"]?.integer ?? received))
        }
    }

    /// The push in the form of handlers.
    func push(_ servers: (any PushServers)?) -> ReceivedPush {
        switch content {
        case .push(let payload): servers?.read(payload) ?? PlainPush(payload).push
        case .local(let localValue): LocalNotification(localValue).push
        }
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
