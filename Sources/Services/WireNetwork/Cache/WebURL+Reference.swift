import WireConfig

extension WebURL {
    /// The port that is meant.
    var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }

    /// Whether both are served by the same server (RFC 9110, section 4.3.1).
    func hasSameOrigin(as other: WebURL) -> Bool {
        scheme == other.scheme && host == other.host && effectivePort == other.effectivePort
    }

    /// The URL a reference means, seen from this one (RFC 3986, section 5.2.2); nil for what is no URL of the web.
    func resolving(_ reference: String) -> WebURL? {
        guard let parts = URLParts(reference) else { return nil }
        if parts.scheme != nil {
            guard let url = try? WebURL(parsing: reference) else { return nil }
            return url.with(path: url.path, query: url.query)
        }
        if parts.authority != nil {
            guard let url = try? WebURL(parsing: "\(scheme):\(reference)") else { return nil }
            return url.with(path: url.path, query: url.query)
        }
        if parts.path.isEmpty { return with(path: path, query: parts.query ?? query) }
        if parts.path.utf8.first == UInt8(ascii: "/") { return with(path: parts.path, query: parts.query) }
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "/"
        return with(path: folder + parts.path, query: parts.query)
    }

    /// Another place of the same server, without `.` and `..` in its path (RFC 3986, section 5.2.4), or a fragment.
    private func with(path: String, query: String?) -> WebURL? {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        let shownHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let place = "\(scheme)://\(shownHost)" + (port.map { ":\($0)" } ?? "")
        let newPath = path.isEmpty ? "" : "/" + kept.joined(separator: "/")
        return try? WebURL(parsing: place + newPath + (query.map { "?\($0)" } ?? ""))
    }
}
