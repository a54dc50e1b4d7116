package import WireConfig
package import WireHTTP

// What the operations on notifications answer with; times in milliseconds since 1970.

/// How far a notification is.
package enum NotificationState: String, JSONWord, PlainCodable {
    case waiting, handling, done
}

/// All that is known of a notification.
package struct NotificationDetail: JSONRecord {
    package let id: String
    /// Whether the same id came with other content: this is the latest.
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
    package static let form = JSONForm<Self>("NotificationDetail", "All that is known of a notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "What it is known by.", .example("n-12"))
        isUpdate = try members.flag(
            "update",
            \.isUpdate,
            "True where the same id came with other content: this is the latest."
        )
        state = try members.required("state", \.state, "How far it is.")
        received = try members.optional("received", \.received, "When it came.", .moment)
        ended = try members.optional("ended", \.ended, "When it was done.", .moment)
        way = try members.optional("way", \.way, "By which way it came.")
        registrar = try members.optional("registrar", \.registrar, "Whose it is.")
        isSilent = try members.optional("silent", \.isSilent, "Whether it is for the program alone.")
        title = try members.optional("title", \.title, "Its title.")
        result = try members.optional("result", \.result, "What all handlers came to.")
        handlers = try members.optional("handlers", \.handlers, "What each came to.")
        isShown = try members.optional("shown", \.isShown, "Whether it was shown.")
        suppression = try members.optional("suppressed", \.suppression, "Why it was not.")
        reason = try members.optional("reason", \.reason, "What it waits for.")
        waitsFor = try members.optional("for", \.waitsFor, "What hastens it.")
        notification = try members.optional("notification", \.notification, "It, as it was shown.")
    }
}

/// A notification that is not handled yet, as the list has it.
package struct WaitingNotification: JSONRecord {
    package let id: String
    package var isUpdate = false
    package let state: NotificationState
    package let attempts: Int
    package let received: Int64
    /// How long it waits until it is tried, in milliseconds.
    package let wait: Int64
    package var reason, waitsFor: String?

    package init(_ id: String, _ state: NotificationState, attempts: Int, received: Int64, wait: Int64) {
        (self.id, self.state, self.attempts) = (id, state, attempts)
        (self.received, self.wait) = (received, wait)
    }
}

extension WaitingNotification {
    package static let form = JSONForm<Self>("WaitingNotification", "A notification that is not handled yet.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "What it is known by.")
        isUpdate = try members.flag("update", \.isUpdate, "True where the same id came before with other content.")
        state = try members.required("state", \.state, "How far it is.")
        attempts = try members.required("attempts", \.attempts, "How often it was tried.", .count)
        received = try members.required("received", \.received, "When it came.", .moment)
        wait = try members.required("milliseconds", \.wait, "How long it waits until it is tried.", .schema(.count()))
        reason = try members.optional("reason", \.reason, "What it waits for.")
        waitsFor = try members.optional("for", \.waitsFor, "What hastens it.")
    }
}

/// An element of the list: a notification that was shown, or one that waits.
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
    package var told: JSONValue? { content.told }
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
    /// Nil for a page of those that wait.
    package var unread: Int?

    package init(_ notifications: [ListedNotification], next: String?, unread: Int? = nil) {
        (self.notifications, self.next, self.unread) = (notifications, next, unread)
    }
}

extension NotificationPage {
    package static let form = JSONForm<Self>("NotificationPage", "A page of notifications.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        notifications = try members.required("notifications", \.notifications, "The notifications.")
        next = try members.optional("next", \.next, "Where to go on; missing at the end.")
        unread = try members.optional("unread", \.unread, "How many were not read.", .count)
    }
}

/// A notification, or a tap, that is on the disk.
package struct TakenNotification: JSONRecord {
    package let id: String
    /// False where it was taken before, with the same content.
    package let isNew: Bool
    /// Whether it was taken before, with other content.
    package var isUpdate = false
    /// Why the link of what was tapped is not opened, and what would have it opened.
    package var refused, help: String?

    package init(_ id: String, isNew: Bool) { (self.id, self.isNew) = (id, isNew) }
}

extension TakenNotification {
    package static let form = JSONForm<Self>("TakenNotification", "A notification, or a tap, that is on the disk.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "What it is known by.", .example("n-12"))
        isNew = try members.required("new", \.isNew, "False where it was taken before.", .example(true))
        isUpdate = try members.flag("update", \.isUpdate, "True where it was taken before with other content.")
        refused = try members.optional("refused", \.refused, "Why the link of what was tapped is not opened.")
        help = try members.optional("help", \.help, "What would have it opened.")
    }
}

/// Whether notifications may be shown.
package struct NotificationPermissionReport: JSONRecord {
    package let answer: NotificationPermission.Answer
    package let desktop: String?

    package init(_ answer: NotificationPermission.Answer, desktop: String?) {
        (self.answer, self.desktop) = (answer, desktop)
    }
}

extension NotificationPermissionReport {
    package static let form = JSONForm<Self>("NotificationPermission", "Whether notifications may be shown.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        answer = try members.required("answer", \.answer, "What was answered.", .example(.granted))
        desktop = try members.optional("desktop", \.desktop, "Why nothing is shown on the desktop.")
    }
}

/// How many notifications were marked as read.
package struct ReadNotifications: JSONRecord {
    package let count: Int

    package init(_ count: Int) { self.count = count }
}

extension ReadNotifications {
    package static let form = JSONForm<Self>("ReadNotifications", "How many notifications were marked as read.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        count = try members.required("read", \.count, "How many were not.", .count, .example(2))
    }
}
