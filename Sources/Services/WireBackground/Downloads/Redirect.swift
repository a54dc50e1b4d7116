import WireConfig

/// Where a redirect leads.
enum Redirect {
    /// The URL a `Location` means, seen from where it was said; nil for what is none (RFC 3986, section 5).
    static func target(of location: String, from base: WebURL) -> WebURL? {
        guard let parts = URLParts(location) else { return nil }
        if parts.scheme != nil { return try? WebURL(parsing: location) }
        if parts.authority != nil { return try? WebURL(parsing: "\(base.scheme):\(location)") }
        let path = parts.path.isEmpty ? base.path : merged(parts.path, base.path)
        let query = parts.query ?? (parts.path.isEmpty ? base.query : nil)
        let host = base.host.contains(":") ? "[\(base.host)]" : base.host
        let text =
            "\(base.scheme)://\(host)" + (base.port.map { ":\($0)" } ?? "") + path + (query.map { "?\($0)" } ?? "")
        return try? WebURL(parsing: text)
    }

    private static func merged(_ path: String, _ base: String) -> String {
        let whole = path.hasPrefix("/") ? path : (base.lastIndex(of: "/").map { base[...$0] } ?? "/") + path
        var steps: [Substring] = []
        let parts = whole.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, step) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch step {
            case ".": if isLast { steps.append("") }
            case "..":
                _ = steps.popLast()
                if isLast { steps.append("") }
            default: steps.append(step)
            }
        }
        return "/" + steps.joined(separator: "/")
    }
}
