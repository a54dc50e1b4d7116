package import WireConfig
import WireHTTP

/// What becomes of notifications.
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
        case .received: "A notification is on the disk."
        case .handled: "All handlers of a notification are done."
        case .failed: "A handler of a notification has failed for good."
        case .suppressed: "A notification is not shown."
        case .tapped: "A notification, or one of its buttons, was tapped."
        case .opened: "A link was opened."
        case .dismissed: "A notification was dismissed."
        case .cleared: "All notifications were removed."
        case .permission: "It was decided whether notifications may be shown."
        case .appDropped: "An app that handles notifications does not read them, and was disconnected."
        case .streamFailed: "A stream of the file cannot be read."
        case .streamRecovered: "A stream that could not be read is read again."
        }
    }
}

/// A notification is shown.
package enum ShownEvents: String, APIEvent {
    package typealias Payload = JSONValue

    case shown = "notification.shown"

    package var help: String {
        """
        A notification is shown. With the sink `console` the members are those of a notification in a list, and `unread` \
        where it counts; otherwise they are `id` and `replaces`.
        """
    }
}
