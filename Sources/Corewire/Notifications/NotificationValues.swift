public import FoundationEssentials
import WireConfig
import WireNotificationContract

extension Corewire {
    /// Whether notifications may be shown.
    public enum NotificationPermission: String, Sendable, CaseIterable {
        /// The user was not asked yet.
        case ask
        /// They are shown.
        case granted
        /// They are suppressed, and counted.
        case denied
    }

    /// Ways in which a notification is shown.
    public struct PresentationOptions: OptionSet, Sendable, Hashable {
        /// The bits of the set.
        public let rawValue: Int

        /// A set of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// It appears at once.
        public static let banner = PresentationOptions(rawValue: 1)
        /// It is heard.
        public static let sound = PresentationOptions(rawValue: 2)
        /// It is counted.
        public static let badge = PresentationOptions(rawValue: 4)
        /// It is kept in the list.
        public static let list = PresentationOptions(rawValue: 8)

        /// The words of the file for it.
        var words: [String] {
            [("banner", Self.banner), ("sound", .sound), ("badge", .badge), ("list", .list)].compactMap {
                word,
                option in
                contains(option) ? word : nil
            }
        }
    }

    /// A notification as handlers get it.
    public struct Notification: Sendable {
        /// What it is known by, however often it comes.
        public let id: String
        /// When it came.
        public let received: Date
        /// How often this handler was tried with it before.
        public let attempts: Int
        /// The registrar it came by, as the file names it.
        public let registrar: String?
        /// Whether it is for the program alone.
        public let isSilent: Bool
        /// Its title.
        public let title: String?
        /// The line under it.
        public let subtitle: String?
        /// Its text.
        public let body: String?
        /// The address of a picture.
        public let image: String?
        /// What a tap leads to.
        public let link: String?
        /// What its sender calls this kind of notification.
        public let category: String?
        /// The button that was pressed; nil for a tap on the notification itself, and before any.
        public let button: String?
        /// The payload without the wrapping of its provider, as JSON.
        public let json: String

        init(_ handed: HandedNotification) {
            let push = handed.push
            (id, received, attempts) = (handed.id, Date(milliseconds: handed.received), handed.attempts)
            (registrar, isSilent) = (push.registrar, push.isSilent)
            (title, subtitle, body, image) = (push.title, push.subtitle, push.body, push.image)
            (link, category, button, json) = (push.link, push.category, handed.button, push.fields.text())
        }
    }

    /// A notification that this program wants.
    public struct NotificationWish: Sendable {
        /// The same id is the same notification; made where nil.
        public var id: String?
        /// Its title.
        public var title: String?
        /// The line under it.
        public var subtitle: String?
        /// Its text.
        public var body: String?
        /// The URL of a picture.
        public var image: String?
        /// The sound it comes with.
        public var sound: String?
        /// What a tap leads to.
        public var link: String?
        /// What kind it is.
        public var category: String?
        /// Whether it is for handlers alone.
        public var isSilent = false
        /// What conditions and templates of handlers see, by name.
        public var data: [String: String] = [:]

        /// One with a title and a text.
        public init(title: String? = nil, body: String? = nil) { (self.title, self.body) = (title, body) }
    }
}

extension NotificationWish {
    init(_ wish: Corewire.NotificationWish) {
        self.init()
        (id, title, subtitle, body) = (wish.id, wish.title, wish.subtitle, wish.body)
        (image, sound, link, category) = (wish.image, wish.sound, wish.link, wish.category)
        isSilent = wish.isSilent
        data = .object(wish.data.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }
}
