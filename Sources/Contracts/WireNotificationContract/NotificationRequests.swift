import WireBase
import WireConfig
package import WireHTTP

// Inputs of the operations on notifications.

/// Selects a page of the list.
package struct NotificationListRequest: JSONRecord {
    package enum State: String, JSONWord, PlainCodable {
        case all, unread, waiting
    }

    package var state: State?
    package var limit: Int?
    package var after: String?

    package init(_ state: State? = nil, limit: Int? = nil) { (self.state, self.limit) = (state, limit) }
}

extension NotificationListRequest {
    package static let form = JSONForm<Self>("NotificationListRequest", "The selection of a page.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.query(
            "state",
            \.state,
            "Only unread notifications, or only waiting ones."
        )
        limit = try members.query("limit", \.limit, "The maximum number of notifications.", .in(1...200))
        after = try members.query("after", \.after, "The position to continue from: 'next' of the previous page.")
    }
}

/// The id of a notification.
package struct NotificationIDRequest: JSONRecord {
    package let id: String

    package init(_ id: String) { self.id = id }
}

extension NotificationIDRequest {
    package static let form = JSONForm<Self>("NotificationIDRequest", "The id of a notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { id = try members.notification(\.id) }
}

/// Selects a notification, and optionally waits for its end.
package struct NotificationShowRequest: JSONRecord {
    package let id: String
    /// The wait in seconds.
    package var wait: Int?

    package init(_ id: String, wait: Int? = nil) { (self.id, self.wait) = (id, wait) }
}

extension NotificationShowRequest {
    package static let form = JSONForm<Self>("NotificationShowRequest", "The selection of a notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.notification(\.id)
        wait = try members.query("wait", \.wait, "The seconds to wait until the notification is handled.", .in(0...60))
    }
}

/// A tap on a notification, or on one of its buttons.
package struct NotificationTap: JSONRecord {
    package let id: String
    package var button: String?
    /// The id of the tap, to recognize repetitions.
    package var tapID: String?

    package init(_ id: String, button: String? = nil) { (self.id, self.button) = (id, button) }
}

extension NotificationTap {
    package static let form = JSONForm<Self>("NotificationTap", "A tap on a notification, or on one of its buttons.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.notification(\.id)
        button = try members.optional(
            "button",
            \.button,
            "The button; the notification itself where absent.",
            .example("reply")
        )
        tapID = try members.optional(
            "id",
            \.tapID,
            "The id of the tap, to recognize repetitions.",
            .schema(.text(from: 1, upTo: 200))
        )
    }
}

/// The user's permission to show notifications.
package struct PermissionAnswer: JSONRecord {
    package let answer: NotificationPermission.Answer

    package init(_ answer: NotificationPermission.Answer) { self.answer = answer }
}

extension PermissionAnswer {
    package static let form = JSONForm<Self>("PermissionAnswer", "The permission to show notifications.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        answer = try members.required("answer", \.answer, "The permission.", .example(.granted))
    }
}

/// The input of a notification stream: an app that handles notifications while it is connected, or only observes them.
package struct HandlerStreamRequest: JSONRecord {
    /// Nil where the app only observes.
    package var handler: String?
    package var moment: Moment?
    package var timeout: Duration?
    package var isForeground = false
}

extension HandlerStreamRequest {
    package static let form = JSONForm<Self>("HandlerStreamRequest", "An app that handles notifications.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        handler = try members.query(
            "handler",
            \.handler,
            "The name of the handler; without one the app only observes.",
            JSONRule(schema: .text) { name in
                name.isEmpty || Identifier.isName(name)
                    ? nil : "found \(name.quoted), expected letters, digits, '-', '_' and '.'"
            }
        )
        moment = try members.query("on", \.moment, "When the handler is called.")
        timeout = try members.query(
            "timeout",
            \.timeout,
            "The timeout per notification, such as 25s.",
            JSONRule(schema: .text) { timeout in
                (.seconds(1) ... .seconds(600)).contains(timeout)
                    ? nil : "found \(timeout.plain.quoted), expected 1s to 10m"
            }
        )
        isForeground = try members.queryFlag(
            "foreground",
            \.isForeground,
            "Whether the app is in the foreground."
        )
    }
}

/// The result of a connected handler.
package struct HandlerAnswer: JSONRecord {
    package let id, handler: String
    /// No new data where nil.
    package var result: HandlerRecord.Result?
    package var options: [PresentationOption]?
    package var reason: String?
}

extension HandlerAnswer {
    package static let form = JSONForm<Self>("HandlerAnswer", "The result of a connected handler.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.notification(\.id)
        handler = try members.path("handler", \.handler, "The name of the handler.", .example("badge"))
        result = try members.optional(
            "result",
            \.result,
            "The result; no new data where absent.",
            .example(.newData)
        )
        options = try members.optional("options", \.options, "How to present the notification.")
        reason = try members.optional("reason", \.reason, "Why the handler failed.")
    }
}

extension Members {
    fileprivate mutating func notification(
        _ get: @escaping @Sendable (Record) -> String
    ) throws(JSONMismatch) -> String {
        try path("id", get, "The notification.", .schema(.text(from: 1, upTo: 1_000)), .example("n-12"))
    }
}
