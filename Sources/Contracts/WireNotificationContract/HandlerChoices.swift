import WireConfig
import WireHTTP

/// The moment a handler of notifications is for.
package enum Moment: String, Choice, JSONWord, PlainCodable {
    case remote, presentable, tap, any

    package static var placeholder: Self { .remote }

    package var help: String {
        switch self {
        case .remote: "a notification for the program alone has arrived"
        case .presentable: "a notification for people is about to be shown"
        case .tap: "the user has tapped a notification, or the button that the field 'button' names"
        case .any: "a notification of either kind has arrived"
        }
    }
}

/// A way a notification is shown.
package enum PresentationOption: String, Choice, JSONWord, PlainCodable {
    case banner, sound, badge, list

    package static var placeholder: Self { .banner }

    package var help: String {
        switch self {
        case .banner: "it appears at once"
        case .sound: "it is heard"
        case .badge: "it is counted"
        case .list: "it is kept in the list of notifications"
        }
    }
}
