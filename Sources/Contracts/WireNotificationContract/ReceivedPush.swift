package import WireConfig
import WireHTTP

/// A push in the one form that handlers know, whoever sent it.
package struct ReceivedPush: Sendable {
    /// What the sender calls it; nil where it has no name.
    ///
    /// Whatever comes with the same one is the same notification.
    package var id: String?
    /// The registrar it came by, as the file names it; nil where none of them knows it.
    package var registrar: String?
    /// Whether it is for the program alone, and nobody is to see it.
    package var isSilent: Bool
    package var title: String?
    package var subtitle: String?
    package var body: String?
    /// The address of a picture to show with it.
    package var image: String?
    package var sound: String?
    /// What the number on the app's icon becomes.
    package var badge: Int?
    /// What a tap leads to.
    package var link: String?
    /// Buttons the sender wants, the first first.
    package var buttons: [Button]
    /// The code of a sign-in in two steps, which is never written to a log.
    package var code: String?
    /// What the sender calls this kind of push: a category, `2_factor`.
    package var category: String?
    /// What is shown with the same key before is replaced by it; nil where it replaces nothing.
    package var collapseKey: String?
    /// How much it matters, as its sender says; nil where it says nothing.
    package var urgency: PushUrgency?
    /// The texts that its sender names by keys of translations.
    package var localized = Localized()
    /// What conditions and templates of the file see: the payload without the wrapping of its provider.
    package var fields: JSONValue
    /// As it came, whole.
    package var payload: JSONValue

    package struct Button: Sendable, Equatable {
        package var label: String
        package var link: String?

        package init(label: String, link: String?) {
            (self.label, self.link) = (label, link)
        }
    }

    /// The texts of a push that are named by keys of translations.
    package struct Localized: Sendable, Equatable {
        package var title: LocalizedPushText?
        package var subtitle: LocalizedPushText?
        package var body: LocalizedPushText?
    }

    /// One that says nothing yet.
    package init(_ payload: JSONValue, fields: JSONValue, isSilent: Bool) {
        (self.payload, self.fields, self.isSilent) = (payload, fields, isSilent)
        buttons = []
    }
}

/// How much a notification matters: the levels of the Desktop Notifications Specification.
package enum PushUrgency: String, JSONWord, PlainCodable {
    case low, normal, critical
}
