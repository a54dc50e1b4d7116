import WireBase
package import WireHTTP
import WireService
package import WireStore

/// The operations on notifications.
///
/// Apps handle notifications over a stream, which is a separate route of the service.
package enum NotificationCalls {
    package static let send = APICall<NewNotification, AcceptedNotification, NotificationFailureKind>(
        .post,
        "/v1/notifications",
        "Post a notification; responds when it is stored.",
        access: .write,
        upTo: .mebibytes(2),
        answers: [.init(.created, "The notification is accepted."), .init(.ok, "It was accepted before.")],
        fails: [.empty, .invalid, .tooLarge, .full, .storeUnavailable]
    )

    package static let list = APICall<NotificationListRequest, NotificationPage, NotificationFailureKind>(
        .get,
        "/v1/notifications",
        "List shown notifications, the latest first, or waiting ones.",
        access: .read,
        answers: [.init(.ok, "A page of notifications.")],
        fails: [.storeUnavailable]
    )

    package static let readAll = APICall<NoInput, ReadNotifications, NotificationFailureKind>(
        .post,
        "/v1/notifications/read",
        "Mark all notifications as read.",
        access: .write,
        answers: [.init(.ok, "The notifications are marked as read.")],
        fails: [.storeUnavailable]
    )

    package static let permission = APICall<NoInput, NotificationPermissionReport, NotificationFailureKind>(
        .get,
        "/v1/notifications/permission",
        "Return whether notifications may be shown.",
        access: .read,
        answers: [.init(.ok, "The permission.")],
        fails: []
    )

    package static let setPermission = APICall<
        PermissionAnswer, NotificationPermissionReport, NotificationFailureKind
    >(
        .put,
        "/v1/notifications/permission",
        "Grant or deny the permission to show notifications; waiting ones are then shown or discarded.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.ok, "The permission is stored.")],
        fails: [.storeUnavailable]
    )

    package static let streams = APICall<NoInput, NotificationStreams, NotificationFailureKind>(
        .get,
        "/v1/notifications/streams",
        "List the streams that are read, and the connections to Web Push services, with their state.",
        access: .read,
        answers: [.init(.ok, "The streams.")],
        fails: []
    )

    package static let show = APICall<NotificationShowRequest, NotificationDetail, NotificationFailureKind>(
        .get,
        "/v1/notifications/{id}",
        "Return a notification with its state, handler results and presentation.",
        access: .read,
        answers: [.init(.ok, "The notification.")],
        fails: [.noSuchNotification, .storeUnavailable]
    )

    package static let dismiss = APICall<NotificationIDRequest, Nothing, NotificationFailureKind>(
        .delete,
        "/v1/notifications/{id}",
        "Dismiss a notification: removes it from the list and notifies its server.",
        access: .write,
        answers: [.init(.noContent, "The notification is dismissed.")],
        fails: [.noSuchNotification, .storeUnavailable]
    )

    package static let read = APICall<NotificationIDRequest, Nothing, NotificationFailureKind>(
        .post,
        "/v1/notifications/{id}/read",
        "Mark a notification as read.",
        access: .write,
        answers: [.init(.noContent, "The notification is marked as read.")],
        fails: [.noSuchNotification, .storeUnavailable]
    )

    package static let tap = APICall<NotificationTap, AcceptedNotification, NotificationFailureKind>(
        .post,
        "/v1/notifications/{id}/tap",
        "Tap a notification or one of its buttons; responds when the tap is stored.",
        access: .write,
        upTo: .kibibytes(4),
        answers: [.init(.accepted, "The tap is accepted.")],
        fails: [.noSuchNotification, .noSuchButton, .invalid, .storeUnavailable]
    )

    package static let answer = APICall<HandlerAnswer, Nothing, NotificationFailureKind>(
        .post,
        "/v1/notifications/{id}/results/{handler}",
        "Report the result of a connected handler.",
        access: .write,
        upTo: .kibibytes(16),
        answers: [.init(.noContent, "The result is accepted.")],
        fails: [.notAsked]
    )
}

/// Why an operation on notifications failed.
package enum NotificationFailureKind: String, FailureKind {
    /// The notification can never be handled: nested too deeply, or not a notification.
    case invalid = "invalid-notification"
    /// A visible notification without any text.
    case empty = "invalid-body"
    case tooLarge = "notification-too-large"
    /// Too many notifications are waiting.
    case full = "too-many-notifications"
    case noSuchNotification = "no-such-notification"
    case noSuchButton = "no-such-button"
    case notAsked = "not-asked"
    case storeUnavailable = "store-unavailable"
    case ending = "ended"

    /// Both kinds are temporary.
    package var type: String { self == .ending ? Self.storeUnavailable.rawValue : rawValue }

    package var facts: FailureFacts {
        switch self {
        case .invalid:
            FailureFacts(.unprocessableContent, "invalid notification", "The notification can never be handled.")
        case .empty: FailureFacts(.badRequest, "invalid body", "The notification has no text to show.")
        case .tooLarge:
            FailureFacts(.contentTooLarge, "the notification is too large", "It exceeds the limit of the file.")
        case .full: FailureFacts(.insufficientStorage, "too many waiting notifications", "The limit is reached.")
        case .noSuchNotification:
            FailureFacts(.notFound, "unknown notification", "The id is unknown.")
        case .noSuchButton: FailureFacts(.notFound, "unknown button", "The notification has no such button.")
        case .notAsked:
            FailureFacts(
                .conflict,
                "no result of the handler is expected",
                "The handler was not called, has answered already, or has timed out."
            )
        case .storeUnavailable, .ending:
            FailureFacts(
                .unavailable,
                "the notification cannot be stored now",
                "The store is not available, or the service is stopping.",
                retryAfter: 5
            )
        }
    }
}

package typealias NotificationFailure = APIFailure<NotificationFailureKind>

extension NotificationFailureKind: KeptFailureKind {
    package init(_ failure: StoreFailure) { self = .storeUnavailable }
}
