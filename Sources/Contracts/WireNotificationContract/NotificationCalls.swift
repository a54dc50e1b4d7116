import WireBase
package import WireHTTP
import WireService
package import WireStore

/// The operations on notifications, each declared once.
///
/// Apps handle notifications over a stream, which is a route of the service.
package enum NotificationCalls {
    package static let send = APICall<NotificationWish, TakenNotification, NotificationFailureKind>(
        .post,
        "/v1/notifications",
        "Deliver a notification; answered when it is on the disk.",
        access: .write,
        upTo: .mebibytes(2),
        answers: [.init(.created, "It is taken."), .init(.ok, "It was taken before.")],
        fails: [.empty, .invalid, .tooLarge, .full, .storeUnavailable]
    )

    package static let list = APICall<NotificationListRequest, NotificationPage, NotificationFailureKind>(
        .get,
        "/v1/notifications",
        "Those that were shown, the latest first, or those that wait.",
        access: .read,
        answers: [.init(.ok, "A page of them.")],
        fails: [.storeUnavailable]
    )

    package static let readAll = APICall<NoInput, ReadNotifications, NotificationFailureKind>(
        .post,
        "/v1/notifications/read",
        "Mark all as read.",
        access: .write,
        answers: [.init(.ok, "They are read.")],
        fails: [.storeUnavailable]
    )

    package static let permission = APICall<NoInput, NotificationPermissionReport, NotificationFailureKind>(
        .get,
        "/v1/notifications/permission",
        "Whether notifications may be shown.",
        access: .read,
        answers: [.init(.ok, "What was answered.")],
        fails: []
    )

    package static let setPermission = APICall<
        PermissionAnswer, NotificationPermissionReport, NotificationFailureKind
    >(
        .put,
        "/v1/notifications/permission",
        "Say whether notifications may be shown; those that wait for it are shown, or never.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.ok, "It is kept.")],
        fails: [.storeUnavailable]
    )

    package static let show = APICall<NotificationShowRequest, NotificationDetail, NotificationFailureKind>(
        .get,
        "/v1/notifications/{id}",
        "All that is known of a notification: how far it is, what each handler came to, how it was shown.",
        access: .read,
        answers: [.init(.ok, "The notification.")],
        fails: [.noSuchNotification, .storeUnavailable]
    )

    package static let dismiss = APICall<NotificationIDRequest, Nothing, NotificationFailureKind>(
        .delete,
        "/v1/notifications/{id}",
        "Put it away: it is no longer in the list, and its server is told.",
        access: .write,
        answers: [.init(.noContent, "It is put away.")],
        fails: [.noSuchNotification, .storeUnavailable]
    )

    package static let read = APICall<NotificationIDRequest, Nothing, NotificationFailureKind>(
        .post,
        "/v1/notifications/{id}/read",
        "Mark it as read.",
        access: .write,
        answers: [.init(.noContent, "It is read.")],
        fails: [.noSuchNotification, .storeUnavailable]
    )

    package static let tap = APICall<NotificationTap, TakenNotification, NotificationFailureKind>(
        .post,
        "/v1/notifications/{id}/tap",
        "Tap it, or one of its buttons: answered when that is on the disk, and done after.",
        access: .write,
        upTo: .kibibytes(4),
        answers: [.init(.accepted, "It is taken.")],
        fails: [.noSuchNotification, .noSuchButton, .invalid, .storeUnavailable]
    )

    package static let answer = APICall<HandlerAnswer, Nothing, NotificationFailureKind>(
        .post,
        "/v1/notifications/{id}/results/{handler}",
        "Say what a connected handler came to.",
        access: .write,
        upTo: .kibibytes(16),
        answers: [.init(.noContent, "It is taken.")],
        fails: [.notAsked]
    )
}

/// Why something is not done with notifications.
package enum NotificationFailureKind: String, FailureKind {
    /// It could never be handled: too deep, or no notification at all.
    case invalid = "invalid-notification"
    /// It is not silent, and says nothing to show.
    case empty = "invalid-body"
    case tooLarge = "notification-too-large"
    /// As many wait as the file allows.
    case full = "too-many-notifications"
    case noSuchNotification = "no-such-notification"
    case noSuchButton = "no-such-button"
    case notAsked = "not-asked"
    case storeUnavailable = "store-unavailable"
    case ending = "ended"

    /// Both are over in a while.
    package var type: String { self == .ending ? Self.storeUnavailable.rawValue : rawValue }

    package var facts: FailureFacts {
        switch self {
        case .invalid:
            FailureFacts(.unprocessableContent, "this is no notification", "It could never be handled.")
        case .empty: FailureFacts(.badRequest, "the body is not as expected", "It says nothing to show.")
        case .tooLarge:
            FailureFacts(.contentTooLarge, "the notification is too large", "It is larger than the file allows.")
        case .full: FailureFacts(.insufficientStorage, "too many notifications wait", "As many wait as may.")
        case .noSuchNotification:
            FailureFacts(.notFound, "there is no such notification", "Nothing is known of it.")
        case .noSuchButton: FailureFacts(.notFound, "there is no such button", "It has no such button.")
        case .notAsked:
            FailureFacts(
                .conflict,
                "the handler is not asked",
                "It was not asked, has answered, or its time is over."
            )
        case .storeUnavailable, .ending:
            FailureFacts(
                .unavailable,
                "it cannot be written down now",
                "The store cannot be used now, or the service ends.",
                retryAfter: 5
            )
        }
    }
}

package typealias NotificationFailure = APIFailure<NotificationFailureKind>

extension NotificationFailureKind: KeptFailureKind {
    package init(_ failure: StoreFailure) { self = .storeUnavailable }
}
