package import WireHTTP

/// The streams that are read.
package struct NotificationStreams: JSONRecord {
    package let streams: [NotificationStreamReport]

    package init(_ streams: [NotificationStreamReport]) { self.streams = streams }

    package static let form = JSONForm<Self>("NotificationStreams", "The streams that are read.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        streams = try members.required("streams", \.streams, "The streams in the order of their names.")
    }
}

/// A stream, or the connection to a Web Push service.
package struct NotificationStreamReport: JSONRecord {
    package let name: String
    package let isConnected: Bool
    /// Times are in milliseconds since 1970.
    package var since: Int64?
    package var connections = 0
    package var messages = 0
    package var lastMessage: Int64?
    package var reason: String?

    package init(_ name: String, isConnected: Bool) { (self.name, self.isConnected) = (name, isConnected) }
}

extension NotificationStreamReport {
    package static let form = JSONForm<Self>(
        "NotificationStream",
        "A stream, or the connection to a Web Push service. Numbers count from the start of the runner."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name in 'notifications.streams'.", .example("ward"))
        isConnected = try members.required("connected", \.isConnected, "Whether it is connected.")
        since = try members.optional(
            "since",
            \.since,
            "When it was connected or lost, in milliseconds since 1970.",
            .moment
        )
        connections = try members.required(
            "connections",
            \.connections,
            "The number of connections; all but the first are reconnects.",
            .count
        )
        messages = try members.required(
            "messages",
            \.messages,
            "The number of messages that were stored, repeated ones included.",
            .count
        )
        lastMessage = try members.optional(
            "lastMessage",
            \.lastMessage,
            "When the last message was stored, in milliseconds since 1970.",
            .moment
        )
        reason = try members.optional("reason", \.reason, "Why it is not read, or is not connected.")
    }
}
