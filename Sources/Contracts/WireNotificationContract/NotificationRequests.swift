import WireBase
import WireConfig
package import WireHTTP

// What the operations on notifications are asked with.

/// A page of the list.
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
    package static let form = JSONForm<Self>("NotificationListRequest", "A page of the list.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        state = try members.query(
            "state",
            \.state,
            "Only those that were not read, or those that are not handled yet."
        )
        limit = try members.query("limit", \.limit, "How many at most.", .in(1...200))
        after = try members.query("after", \.after, "Where to go on: 'next' of the page before.")
    }
}

/// Which notification is meant.
package struct NotificationIDRequest: JSONRecord {
    package let id: String

    package init(_ id: String) { self.id = id }
}

extension NotificationIDRequest {
    package static let form = JSONForm<Self>("NotificationIDRequest", "Which notification is meant.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { id = try members.notification(\.id) }
}

/// What is known of a notification, at once or when it is done.
package struct NotificationShowRequest: JSONRecord {
    package let id: String
    /// In seconds.
    package var wait: Int?

    package init(_ id: String, wait: Int? = nil) { (self.id, self.wait) = (id, wait) }
}

extension NotificationShowRequest {
    package static let form = JSONForm<Self>("NotificationShowRequest", "What is known of a notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.notification(\.id)
        wait = try members.query("wait", \.wait, "How many seconds to wait until it is done.", .in(0...60))
    }
}

/// A tap on a notification, or on one of its buttons.
package struct NotificationTap: JSONRecord {
    package let id: String
    package var button: String?
    /// The same id is the same tap.
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
            "The same id is the same tap.",
            .schema(.text(from: 1, upTo: 200))
        )
    }
}

/// What the user says about notifications being shown.
package struct PermissionAnswer: JSONRecord {
    package let answer: NotificationPermission.Answer

    package init(_ answer: NotificationPermission.Answer) { self.answer = answer }
}

extension PermissionAnswer {
    package static let form = JSONForm<Self>("PermissionAnswer", "Whether notifications may be shown.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        answer = try members.required("answer", \.answer, "What the user says.", .example(.granted))
    }
}

/// An app that handles notifications for as long as it reads them, or only listens.
package struct HandlerStreamRequest: JSONRecord {
    /// Nil where it only listens.
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
            "The name it handles by; it only listens without one.",
            JSONRule(schema: .text) { name in
                name.isEmpty || Identifier.isName(name)
                    ? nil : "found \(name.quoted), expected letters, digits, '-', '_' and '.'"
            }
        )
        moment = try members.query("on", \.moment, "What it handles.")
        timeout = try members.query(
            "timeout",
            \.timeout,
            "How long it may take with each, such as 25s.",
            JSONRule(schema: .text) { timeout in
                (.seconds(1) ... .seconds(600)).contains(timeout)
                    ? nil : "found \(timeout.plain.quoted), expected 1s to 10m"
            }
        )
        isForeground = try members.queryFlag(
            "foreground",
            \.isForeground,
            "Whether the app is before the user's eyes."
        )
    }
}

/// What a connected handler came to with a notification.
package struct HandlerAnswer: JSONRecord {
    package let id, handler: String
    /// Nothing new where nil.
    package var result: HandlerRecord.Result?
    package var options: [PresentationOption]?
    package var reason: String?
}

extension HandlerAnswer {
    package static let form = JSONForm<Self>("HandlerAnswer", "What a connected handler came to.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.notification(\.id)
        handler = try members.path("handler", \.handler, "The name it handles by.", .example("badge"))
        result = try members.optional(
            "result",
            \.result,
            "What it came to; nothing new where absent.",
            .example(.newData)
        )
        options = try members.optional("options", \.options, "How the notification is to be shown.")
        reason = try members.optional("reason", \.reason, "Why it failed.")
    }
}

extension Members {
    fileprivate mutating func notification(
        _ get: @escaping @Sendable (Record) -> String
    ) throws(JSONMismatch) -> String {
        try path("id", get, "The notification.", .schema(.text(from: 1, upTo: 1_000)), .example("n-12"))
    }
}
