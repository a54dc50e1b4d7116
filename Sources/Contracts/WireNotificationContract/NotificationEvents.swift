package import WireConfig
package import WireHTTP

/// The events of notifications.
package enum NotificationEvents: String, APIEvent {
    package typealias Payload = NotificationEvent

    case received = "notification.received"
    case handled = "notification.handled"
    case failed = "notification.failed"
    case suppressed = "notification.suppressed"
    case tapped = "notification.tapped"
    case opened = "notification.opened"
    case dismissed = "notification.dismissed"
    case cleared = "notification.cleared"
    case permission = "notification.permission"
    case appDropped = "notification.appDropped"
    case streamFailed = "notification.streamFailed"
    case streamRecovered = "notification.streamRecovered"

    package var help: String {
        switch self {
        case .received: "A notification is stored."
        case .handled: "All handlers of a notification have ended."
        case .failed: "A handler of a notification has failed for good."
        case .suppressed: "A notification is not shown."
        case .tapped: "A notification, or one of its buttons, was tapped."
        case .opened: "A link was opened."
        case .dismissed: "A notification was dismissed."
        case .cleared: "All notifications were removed."
        case .permission: "The permission to show notifications has changed."
        case .appDropped: "An app that handles notifications was disconnected because it did not read."
        case .streamFailed: "A stream of the file has failed."
        case .streamRecovered: "A failed stream has recovered."
        }
    }
}

/// The event for a shown notification.
package enum ShownEvents: String, APIEvent {
    package typealias Payload = NotificationNotice

    case shown = "notification.shown"

    package var help: String {
        """
        A notification is shown. With the sink `console` the members are those of a notification in a list, and `unread` \
        where it counts; otherwise they are `id` and `replaces`.
        """
    }
}

/// The payload of a shown notification.
package enum NotificationNotice: JSONCodable {
    /// The whole notification, with the unread count where it counts.
    case whole(ShownNotification)
    /// Only the id, where neither the console nor apps show it.
    case short(Name)

    package struct Name: JSONRecord {
        package let id: String
        package let replaces: String?
        package static let form = JSONForm<Self>("NotificationName", "The id of a notification.")

        package init(_ id: String, replaces: String?) { (self.id, self.replaces) = (id, replaces) }

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            id = try members.required("id", \.id, "The id.")
            replaces = try members.optional("replaces", \.replaces, "The id of the replaced notification.")
        }
    }

    private var content: any JSONCodable {
        switch self {
        case .whole(let shown): shown
        case .short(let name): name
        }
    }

    package static var schema: JSONSchema { .any(of: [ShownNotification.schema, Name.schema]) }
    package static var placeholder: Self { .short(.placeholder) }
    package var jsonValue: JSONValue? { content.jsonValue }
    package func write(to writer: inout JSONWriter) { content.write(to: &writer) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Self {
        if let shown = try? ShownNotification.read(node, in: text) { return .whole(shown) }
        return .short(try Name.read(node, in: text))
    }
}
