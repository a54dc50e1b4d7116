import WireBase

/// A server that may receive access tokens: `push.example.com`, or with a port `push.example.com:8443`.
package struct TokenHost: Sendable, Hashable {
    /// The name or address, in lower case, without the brackets of an IPv6 address.
    package let host: String
    /// The port; nil for the default one of `https`.
    package let port: Int?

    /// The matching origins: `https`, and `http` only where the host allows plain `http`.
    package func origins(amongPlain plainHosts: [Host]) -> [Origin] {
        let isPlain = Host.isLoopback(host) || plainHosts.contains { $0.covers(host) }
        return [true, false].filter { $0 || isPlain }.map { Origin(isSecure: $0, host: host, port: port) }
    }
}

extension TokenHost: TextValue {
    package static var textForm: TextForm {
        TextForm(
            "a host such as push.example.com, or with a port push.example.com:8443",
            example: "push.example.com",
            pattern: "^[^\\s/?#@*]+$"
        )
    }

    package init(parsing text: String) throws(Misread) {
        if text.hasPrefix("*.") {
            throw Misread(
                expected: "a single host, without '*'",
                help: "list each host that may receive the token"
            )
        }
        let host = text.hasPrefix("[") ? text[...] : text.prefix { $0 != "/" }
        guard host.utf8.count == text.utf8.count, let url = try? WebURL(parsing: "https://\(text)"), url.path.isEmpty,
            url.query == nil, url.fragment == nil
        else {
            let named = try? WebURL(parsing: text)
            let fix = named.map { Self(host: $0.host, port: $0.port).description }
            throw Misread(help: fix.map { "write the host alone: \($0)" }, fix: fix)
        }
        self.init(host: url.host, port: url.port)
    }

    /// The server as a services file writes it.
    package var description: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }
}
