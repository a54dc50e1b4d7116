import WireBase
import WireConfig
import WireService

/// A link of a notification that may be opened.
struct NotificationLink: Sendable {
    let text: String

    /// Links come from outside and start other programs: only listed schemes are opened.
    init(_ text: String, by links: Links) throws(Fault) {
        guard text.utf8.count <= 4_096 else { throw Fault("the link is longer than 4KiB") }
        guard !text.unicodeScalars.contains(where: { $0.isUnfitForDisplay || $0 == " " }) else {
            throw Fault("invalid link \(text.quoted)")
        }
        guard let colon = text.firstIndex(of: ":"), let scheme = try? LinkScheme(parsing: String(text[..<colon])) else {
            throw Fault("invalid link \(text.quoted): expected a link with an allowed scheme")
        }
        guard links.schemes.contains(scheme) else {
            throw Fault(
                "the scheme \(scheme.text.quoted) of the link is not allowed",
                help: "add it to 'notifications.links.schemes'"
            )
        }
        self.text = text
    }
}
