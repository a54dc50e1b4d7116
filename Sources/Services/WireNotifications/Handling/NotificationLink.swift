import WireBase
import WireConfig
import WireService

/// A link of a notification that the file lets be opened.
struct NotificationLink: Sendable {
    let text: String

    /// Links come from outside, and make other programs act: only those whose scheme is listed are opened.
    init(_ text: String, by links: Links) throws(Fault) {
        guard text.utf8.count <= 4_096 else { throw Fault("the link is longer than 4KiB") }
        guard !text.unicodeScalars.contains(where: { $0.isUnfitForDisplay || $0 == " " }) else {
            throw Fault("the link holds what no link may hold: \(text.quoted)")
        }
        guard let colon = text.firstIndex(of: ":"), let scheme = try? LinkScheme(parsing: String(text[..<colon])) else {
            throw Fault("found the link \(text.quoted), expected one with a scheme that may be opened")
        }
        guard links.schemes.contains(scheme) else {
            throw Fault(
                "the scheme \(scheme.text.quoted) of the link is not opened",
                help: "list it in 'notifications.links.schemes' where it is meant to be"
            )
        }
        self.text = text
    }
}
