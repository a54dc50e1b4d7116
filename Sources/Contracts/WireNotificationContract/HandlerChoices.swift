import WireConfig
import WireHTTP

/// When a notification handler is called.
package enum Moment: String, Choice, JSONWord, PlainCodable {
    case remote, presentable, tap, any

    package static var placeholder: Self { .remote }

    package var help: String {
        switch self {
        case .remote: "a silent notification has arrived"
        case .presentable: "a notification is about to be shown"
        case .tap: "the user has tapped a notification or one of its buttons (field 'button')"
        case .any: "any notification has arrived"
        }
    }
}

/// A way to present a notification.
package enum PresentationOption: String, Choice, JSONWord, PlainCodable {
    case banner, sound, badge, list

    package static var placeholder: Self { .banner }

    package var help: String {
        switch self {
        case .banner: "it is displayed at once"
        case .sound: "it plays a sound"
        case .badge: "it increases the unread count"
        case .list: "it is in the list of notifications"
        }
    }
}
