public import FoundationEssentials
import WireConfig
import WireNotificationContract

extension Corewire {
    /// The permission to show notifications.
    public enum NotificationPermission: String, Sendable, CaseIterable {
        /// The user has not been asked yet.
        case ask
        /// Notifications are shown.
        case granted
        /// Notifications are suppressed and counted.
        case denied
    }

    /// The ways to present a notification.
    public struct PresentationOptions: OptionSet, Sendable, Hashable {
        /// The bits of the set.
        public let rawValue: Int

        /// A set of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Displayed at once.
        public static let banner = PresentationOptions(rawValue: 1)
        /// Plays a sound.
        public static let sound = PresentationOptions(rawValue: 2)
        /// Counted as unread.
        public static let badge = PresentationOptions(rawValue: 4)
        /// Listed.
        public static let list = PresentationOptions(rawValue: 8)

        /// The words of the file for the options.
        var words: [String] {
            [("banner", Self.banner), ("sound", .sound), ("badge", .badge), ("list", .list)].compactMap {
                word,
                option in
                contains(option) ? word : nil
            }
        }
    }

    /// A notification as passed to handlers.
    public struct Notification: Sendable {
        /// The id, which is the same for repetitions.
        public let id: String
        /// The time of receipt.
        public let received: Date
        /// The number of earlier attempts of this handler.
        public let attempts: Int
        /// The registrar by its name in the file.
        public let registrar: String?
        /// Whether the notification is silent.
        public let isSilent: Bool
        /// Its title.
        public let title: String?
        /// The subtitle.
        public let subtitle: String?
        /// The text.
        public let body: String?
        /// The URL of a picture.
        public let image: String?
        /// The link to open on a tap.
        public let link: String?
        /// The category set by the sender.
        public let category: String?
        /// The tapped button; nil for the notification itself, and before any tap.
        public let button: String?
        /// The payload without the envelope of its provider, as JSON.
        public let json: String

        init(_ handed: HandedNotification) {
            let push = handed.push
            (id, received, attempts) = (handed.id, Date(milliseconds: handed.received), handed.attempts)
            (registrar, isSilent) = (push.registrar, push.isSilent)
            (title, subtitle, body, image) = (push.title, push.subtitle, push.body, push.image)
            (link, category, button, json) = (push.link, push.category, handed.button, push.fields.text())
        }
    }

    /// A notification to post.
    public struct NewNotification: Sendable {
        /// The id, to recognize repetitions; generated where nil.
        public var id: String?
        /// Its title.
        public var title: String?
        /// The subtitle.
        public var subtitle: String?
        /// The text.
        public var body: String?
        /// The URL of a picture.
        public var image: String?
        /// The sound to play.
        public var sound: String?
        /// The link to open on a tap.
        public var link: String?
        /// The category.
        public var category: String?
        /// Whether the notification is silent.
        public var isSilent = false
        /// The data for conditions and templates of handlers.
        public var data: [String: String] = [:]

        /// Makes a notification with a title and a text.
        public init(title: String? = nil, body: String? = nil) { (self.title, self.body) = (title, body) }
    }
}

extension NewNotification {
    init(_ newNotification: Corewire.NewNotification) {
        self.init()
        (id, title, subtitle, body) = (
            newNotification.id, newNotification.title, newNotification.subtitle, newNotification.body
        )
        (image, sound, link, category) = (
            newNotification.image, newNotification.sound, newNotification.link, newNotification.category
        )
        isSilent = newNotification.isSilent
        data = .object(newNotification.data.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }
}
