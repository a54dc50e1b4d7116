extension WebURL {
    /// Whether the scheme is that of a WebSocket.
    package var isSocket: Bool { scheme == "ws" || scheme == "wss" }

    /// Whether the scheme is that of an MQTT broker over TCP.
    package var isBroker: Bool { scheme == "mqtt" || scheme == "mqtts" }

    /// The URL of the opening HTTP request of a WebSocket (RFC 6455, section 3).
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

    /// The URL with a further query item, percent-encoded.
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
    /// The address with the scheme of the opening HTTP request.
    package var overHTTP: Address {
        guard let absolute, absolute.isSocket else { return self }
        return Address(absolute: absolute.overHTTP, text: text)
    }

    package init(_ url: WebURL) { self.init(absolute: url, text: url.description) }
}
