import WireConfig

extension WebURL {
    /// The port that is meant.
    var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }

    /// Whether both are served by the same server (RFC 9110, section 4.3.1).
    func hasSameOrigin(as other: WebURL) -> Bool {
        scheme == other.scheme && host == other.host && effectivePort == other.effectivePort
    }
}
