import WireBase
import WireConfig

/// The URL to which senders post.
enum PushEndpoint {
    private static let longest = 1_024

    /// Whether a service may give it: other URLs would carry messages in the clear over a network.
    ///
    /// `fromHere` is whether the service is on this machine; then the URL may be too.
    static func isValid(_ text: String, fromHere isLocal: Bool) -> Bool {
        guard (1...longest).contains(text.utf8.count), text.utf8.allSatisfy(\.isVisible),
            let url = try? WebURL(parsing: text)
        else { return false }
        return url.scheme == "https" || (isLocal && url.scheme == "http" && url.isLoopback)
    }
}
