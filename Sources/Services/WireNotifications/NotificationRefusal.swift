package import WireConfig

/// Why something is not done with notifications.
package struct NotificationRefusal: Error, Sendable {
    package enum Kind: String, Sendable {
        /// It could never be handled: too large, too deep, no notification at all.
        case invalid
        case tooLarge
        /// As many wait as the file allows.
        case full
        /// The store did not take it.
        case notWritten
        /// Nothing is known of it, or nobody was asked.
        case unknown
        case noSuchButton
        /// The service ends.
        case ended
    }

    package let kind: Kind
    package let reason: String
    package let help: String?
    package let origin: ValueOrigin?

    package init(_ kind: Kind, _ reason: String, help: String? = nil, origin: ValueOrigin? = nil) {
        (self.kind, self.reason, self.help, self.origin) = (kind, reason, help, origin)
    }
}
