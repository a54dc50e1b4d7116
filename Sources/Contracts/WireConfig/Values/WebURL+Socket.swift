extension WebURL {
    /// Whether it is the address of a WebSocket.
    package var isSocket: Bool { scheme == "ws" || scheme == "wss" }

    /// Where a WebSocket is asked for: its address is that of the request (RFC 6455, section 3).
    package var overHTTP: WebURL {
        guard isSocket else { return self }
        return WebURL(
            scheme: scheme == "ws" ? "http" : "https",
            host: host,
            port: port,
            path: path,
            query: query,
            fragment: nil
        )
    }

    /// The same, with one more name and value in its query, percent-encoded.
    package func adding(_ name: String, _ value: String) -> WebURL {
        let item = "\(name.encodedForURL)=\(value.encodedForURL)"
        return WebURL(
            scheme: scheme,
            host: host,
            port: port,
            path: path,
            query: query.map { $0.isEmpty ? item : "\($0)&\(item)" } ?? item,
            fragment: nil
        )
    }
}

extension Address {
    /// The same, with the scheme of the request a WebSocket begins with.
    package var overHTTP: Address {
        guard let absolute, absolute.isSocket else { return self }
        return Address(absolute: absolute.overHTTP, text: text)
    }

    package init(_ url: WebURL) { self.init(absolute: url, text: url.description) }
}
