package import WireConfig
import WireHTTP

/// A push in a uniform form, independent of its sender.
package struct ReceivedPush: Sendable {
    /// The id of the sender; nil where it has none.
    ///
    /// Pushes with the same id are the same notification.
    package var id: String?
    /// The registrar by its name in the file; nil where none recognizes the push.
    package var registrar: String?
    /// Whether the push is silent.
    package var isSilent: Bool
    package var title: String?
    package var subtitle: String?
    package var body: String?
    /// The URL of a picture.
    package var image: String?
    package var sound: String?
    /// The badge number of the app icon.
    package var badge: Int?
    /// The link to open on a tap.
    package var link: String?
    /// The buttons of the sender, in order.
    package var buttons: [Button]
    /// A two-factor code, which is never logged.
    package var code: String?
    /// The kind of push at its sender: a category, `2_factor`.
    package var category: String?
    /// The key by which it replaces a shown notification; nil where it replaces none.
    package var collapseKey: String?
    /// The urgency set by the sender; nil where it has set none.
    package var urgency: PushUrgency?
    /// When it expires, in milliseconds since 1970; nil where the sender has not said so.
    package var expires: Int64?
    /// The texts given by translation keys.
    package var localized = Localized()
    /// The data for conditions and templates: the payload without the provider's envelope.
    package var fields: JSONValue
    /// The whole payload as received.
    package var payload: JSONValue

    package struct Button: Sendable, Equatable {
        package var label: String
        package var link: String?

        package init(label: String, link: String?) {
            (self.label, self.link) = (label, link)
        }
    }

    /// The texts of a push given by translation keys.
    package struct Localized: Sendable, Equatable {
        package var title: LocalizedPushText?
        package var subtitle: LocalizedPushText?
        package var body: LocalizedPushText?
    }

    /// Makes a push without texts.
    package init(_ payload: JSONValue, fields: JSONValue, isSilent: Bool) {
        (self.payload, self.fields, self.isSilent) = (payload, fields, isSilent)
        buttons = []
    }
}

/// The urgency levels of the Desktop Notifications Specification.
package enum PushUrgency: String, JSONWord, PlainCodable {
    case low, normal, critical
}
