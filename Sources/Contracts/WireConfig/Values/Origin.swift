/// The origin of a server: scheme, host and port (RFC 6454, section 4).
///
/// A WebSocket has the origin of its opening request: `wss` is `https`, `ws` is `http`.
package struct Origin: Sendable, Hashable {
    package let isSecure: Bool
    package let host: String
    package let port: Int

    package init(isSecure: Bool, host: String, port: Int?) {
        (self.isSecure, self.host) = (isSecure, host)
        self.port = port ?? (isSecure ? 443 : 80)
    }

    /// The host, with a port other than the default one.
    package var server: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }
}

extension Origin: CustomStringConvertible {
    package var description: String { (isSecure ? "https://" : "http://") + server }
}

extension WebURL {
    package var origin: Origin {
        let isSecure = !Self.plainSchemes.contains(scheme)
        return Origin(isSecure: isSecure, host: host, port: port ?? (isBroker ? isSecure ? 8_883 : 1_883 : nil))
    }

    /// The host, with a port other than the default one: servers at different ports fail independently.
    package var server: String { origin.server }

    /// Resolves a reference and normalizes `.` and `..`, also where these are percent-encoded.
    package func plainly(resolving reference: String) -> WebURL? {
        guard let url = resolving(reference) else { return nil }
        return url.path.isEmpty ? url : url.resolving(url.path + (url.query.map { "?\($0)" } ?? ""))
    }
}
