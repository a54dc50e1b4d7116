package import WireConfig
package import WireHTTP

// Responses of the operations on notifications; times in milliseconds since 1970.

/// The processing state of a notification.
package enum NotificationState: String, JSONWord, PlainCodable {
    case waiting, handling, done
}

/// A notification with its state and results.
package struct NotificationDetail: JSONRecord {
    package let id: String
    /// Whether an earlier notification had the same id and other content.
    package var isUpdate = false
    package var state: NotificationState
    package var received, ended: Int64?
    package var way, registrar: String?
    package var isSilent: Bool?
    package var title: String?
    package var result: HandlerRecord.Result?
    package var handlers: [HandlerRecord]?
    package var isShown: Bool?
    package var suppression, reason, waitsFor: String?
    package var notification: ShownNotification?

    package init(_ id: String, _ state: NotificationState) { (self.id, self.state) = (id, state) }
}

extension NotificationDetail {
    package static let form = JSONForm<Self>("NotificationDetail", "A notification with its state and results.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id.", .example("n-12"))
        isUpdate = try members.flag(
            "update",
            \.isUpdate,
            "True where an earlier notification had the same id and other content."
        )
        state = try members.required("state", \.state, "The state.")
        received = try members.optional("received", \.received, "The time of receipt.", .moment)
        ended = try members.optional("ended", \.ended, "The end of processing.", .moment)
        way = try members.optional("way", \.way, "The source of the notification.")
        registrar = try members.optional("registrar", \.registrar, "The registrar.")
        isSilent = try members.optional("silent", \.isSilent, "Whether the notification is silent.")
        title = try members.optional("title", \.title, "The title.")
        result = try members.optional("result", \.result, "The combined result of the handlers.")
        handlers = try members.optional("handlers", \.handlers, "The results of the handlers.")
        isShown = try members.optional("shown", \.isShown, "Whether the notification was shown.")
        suppression = try members.optional("suppressed", \.suppression, "Why the notification was not shown.")
        reason = try members.optional("reason", \.reason, "Why the notification waits.")
        waitsFor = try members.optional("for", \.waitsFor, "The condition that ends the wait early.")
        notification = try members.optional("notification", \.notification, "The shown notification.")
    }
}

/// A waiting notification in the list.
package struct WaitingNotification: JSONRecord {
    package let id: String
    package var isUpdate = false
    package let state: NotificationState
    package let attempts: Int
    package let received: Int64
    /// The time until the next attempt, in milliseconds.
    package let wait: Int64
    package var reason, waitsFor: String?

    package init(_ id: String, _ state: NotificationState, attempts: Int, received: Int64, wait: Int64) {
        (self.id, self.state, self.attempts) = (id, state, attempts)
        (self.received, self.wait) = (received, wait)
    }
}

extension WaitingNotification {
    package static let form = JSONForm<Self>("WaitingNotification", "A waiting notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id.")
        isUpdate = try members.flag("update", \.isUpdate, "True for new content under the same id.")
        state = try members.required("state", \.state, "The state.")
        attempts = try members.required("attempts", \.attempts, "The number of attempts.", .count)
        received = try members.required("received", \.received, "The time of receipt.", .moment)
        wait = try members.required("milliseconds", \.wait, "The time until the next attempt.", .schema(.count()))
        reason = try members.optional("reason", \.reason, "Why the notification waits.")
        waitsFor = try members.optional("for", \.waitsFor, "The condition that ends the wait early.")
    }
}

/// An element of the list: a shown or a waiting notification.
package enum ListedNotification: JSONCodable {
    case shown(ShownNotification)
    case waiting(WaitingNotification)

    package var shown: ShownNotification? { if case .shown(let shown) = self { shown } else { nil } }
    package var waiting: WaitingNotification? { if case .waiting(let waiting) = self { waiting } else { nil } }

    private var content: any JSONCodable {
        switch self {
        case .shown(let shown): shown
        case .waiting(let waiting): waiting
        }
    }

    package static var schema: JSONSchema { .any(of: [ShownNotification.schema, WaitingNotification.schema]) }
    package static var placeholder: Self { .shown(.placeholder) }
    package var jsonValue: JSONValue? { content.jsonValue }
    package func write(to writer: inout JSONWriter) { content.write(to: &writer) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Self {
        if let waiting = try? WaitingNotification.read(node, in: text) { return .waiting(waiting) }
        return .shown(try ShownNotification.read(node, in: text))
    }
}

/// A page of the list.
package struct NotificationPage: JSONRecord {
    package let notifications: [ListedNotification]
    package var next: String?
    /// Nil for a page of waiting notifications.
    package var unread: Int?

    package init(_ notifications: [ListedNotification], next: String?, unread: Int? = nil) {
        (self.notifications, self.next, self.unread) = (notifications, next, unread)
    }
}

extension NotificationPage {
    package static let form = JSONForm<Self>("NotificationPage", "A page of notifications.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        notifications = try members.required("notifications", \.notifications, "The notifications.")
        next = try members.optional("next", \.next, "The position of the next page; absent at the end.")
        unread = try members.optional("unread", \.unread, "The number of unread notifications.", .count)
    }
}

/// The confirmation of a notification or a tap.
package struct AcceptedNotification: JSONRecord {
    package let id: String
    /// False for a repetition with the same content.
    package let isNew: Bool
    /// Whether an earlier notification had the same id and other content.
    package var isUpdate = false
    /// Why the tapped link is not opened, and what to do.
    package var refused, help: String?

    package init(_ id: String, isNew: Bool) { (self.id, self.isNew) = (id, isNew) }
}

extension AcceptedNotification {
    package static let form = JSONForm<Self>("TakenNotification", "The confirmation of a notification or a tap.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id.", .example("n-12"))
        isNew = try members.required("new", \.isNew, "False for a repetition.", .example(true))
        isUpdate = try members.flag("update", \.isUpdate, "True for new content under the same id.")
        refused = try members.optional("refused", \.refused, "Why the tapped link is not opened.")
        help = try members.optional("help", \.help, "What to do so that the link is opened.")
    }
}

/// The permission to show notifications.
package struct NotificationPermissionReport: JSONRecord {
    package let answer: NotificationPermission.Answer
    package let desktop: String?

    package init(_ answer: NotificationPermission.Answer, desktop: String?) {
        (self.answer, self.desktop) = (answer, desktop)
    }
}

extension NotificationPermissionReport {
    package static let form = JSONForm<Self>("NotificationPermission", "The permission to show notifications.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        answer = try members.required("answer", \.answer, "The permission.", .example(.granted))
        desktop = try members.optional("desktop", \.desktop, "Why notifications are not shown on the desktop.")
    }
}

/// The number of notifications marked as read.
package struct ReadNotifications: JSONRecord {
    package let count: Int

    package init(_ count: Int) { self.count = count }
}

extension ReadNotifications {
    package static let form = JSONForm<Self>("ReadNotifications", "The number of notifications marked as read.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        count = try members.required(
            "read",
            \.count,
            "The number of notifications marked as read.",
            .count,
            .example(2)
        )
    }
}
