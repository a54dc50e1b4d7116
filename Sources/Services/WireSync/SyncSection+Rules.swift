import WireBase
package import WireConfig

extension SyncSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        if operations != nil || $operations.state == .uncertain { checks.offer(Provision(.operation)) }
        if authenticated {
            checks.need(
                Provision(.accessTokens),
                .syncNeedsTokens,
                at: $url,
                "sync sends a token with each request, and no section gives tokens",
                help: "add an 'auth' section, or write 'authenticated: false'"
            )
        }
        checkAddresses(&checks)
        checkHeaders(headers.items.map { ($0.name, $0.place) }, "headers", &checks)
        checkHeaders(secretHeaders.items.map { ($0.name, $0.place) }, "secretHeaders", &checks)
        checkBothHeaders(&checks)
        checkReconnect(&checks)
        checkCache(&checks)
    }

    private func checkAddresses(_ checks: inout Checks) {
        if let absolute = url.absolute, $url.isWritten, absolute.scheme != "https", absolute.scheme != "http" {
            let isWebSocket = absolute.scheme == "wss" || absolute.scheme == "ws"
            checks.report(
                .notAnHTTPAddress,
                at: $url,
                "sync.url has scheme \(absolute.scheme.quoted), queries go over https",
                help: isWebSocket ? "this is for 'webSocketUrl'; write https:// here" : "write https://"
            )
        }
        guard let absolute = webSocketURL?.absolute, absolute.scheme != "wss", absolute.scheme != "ws" else { return }
        let isWeb = absolute.scheme == "https" || absolute.scheme == "http"
        let secure = "\(absolute.isLoopback && absolute.scheme == "http" ? "ws" : "wss")://"
        let rest = absolute.description.dropFirst(absolute.scheme.count + 3)
        checks.report(
            .notAWebSocketAddress,
            at: $webSocketURL,
            "sync.webSocketUrl has scheme \(absolute.scheme.quoted), a WebSocket has ws or wss",
            help: "write \(secure)",
            fix: isWeb ? secure + rest : nil
        )
    }

    private func checkHeaders(_ items: [(name: String, place: Place)], _ key: String, _ checks: inout Checks) {
        for (name, place) in items {
            let path = "sync.\(key).\(name)"
            let lowercased = name.lowercased()
            if lowercased == "authorization", authenticated {
                checks.report(
                    .headerOfCorewire,
                    at: place,
                    "\(path) would replace the token of the user",
                    help: "remove it, or write 'authenticated: false'"
                )
            } else if Self.headersOfTheProtocol.contains(lowercased) || lowercased.hasPrefix("sec-websocket-") {
                checks.report(.headerOfCorewire, at: place, "\(path) is a header that the protocol itself sets")
            }
        }
    }

    /// What the body, the connection and the handshake decide, not the file.
    private static let headersOfTheProtocol: Set<String> = [
        "connection", "content-length", "content-type", "host", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private func checkBothHeaders(_ checks: inout Checks) {
        for item in secretHeaders.items {
            guard let other = headers.items.first(where: { $0.name.lowercased() == item.name.lowercased() }) else {
                continue
            }
            checks.report(
                .headerOfCorewire,
                at: other.place,
                "sync.headers.\(other.name) is in 'secretHeaders' too, only one may be given"
            )
        }
    }

    private func checkReconnect(_ checks: inout Checks) {
        guard $reconnect.isWritten, reconnect.$min.state != .uncertain, reconnect.min > reconnect.max else { return }
        let place = reconnect.$min.isWritten ? reconnect.$min : reconnect.$max
        checks.report(
            .waitsTurnedRound,
            at: place,
            "sync.reconnect: the first wait (\(reconnect.min.literal.plainText)) is longer than the longest (\(reconnect.max.literal.plainText))",
            related: reconnect.$min.isWritten && reconnect.$max.isWritten ? (reconnect.$max, "the longest") : nil
        )
    }

    private func checkCache(_ checks: inout Checks) {
        guard $cache.isWritten, cache.policy == .noCache, cache.$policy.isWritten else { return }
        for (name, place) in [("maxAge", cache.$maxAge), ("maxSize", cache.$maxSize)] where place.isWritten {
            checks.report(
                .unusedCacheRule,
                at: place,
                "sync.cache.\(name) has no use with policy 'noCache'",
                related: (cache.$policy, "nothing is kept because of this")
            )
        }
    }
}
