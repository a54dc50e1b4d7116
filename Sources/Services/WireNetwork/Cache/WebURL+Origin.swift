import WireConfig

extension WebURL {
    /// The port that is meant.
    var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }

    /// The host, with the port where it is not the usual one: what fails at one port says nothing of another.
    var server: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return effectivePort == (scheme == "https" ? 443 : 80) ? host : "\(host):\(effectivePort)"
    }

    /// Whether both are served by the same server (RFC 9110, section 4.3.1).
    func hasSameOrigin(as other: WebURL) -> Bool {
        scheme == other.scheme && host == other.host && effectivePort == other.effectivePort
    }

    /// What a reference means, seen from here, without `.` and `..` in its path however it was written.
    func plainly(resolving reference: String) -> WebURL? {
        guard let url = resolving(reference) else { return nil }
        return url.path.isEmpty ? url : url.resolving(url.path + (url.query.map { "?\($0)" } ?? ""))
    }
}
