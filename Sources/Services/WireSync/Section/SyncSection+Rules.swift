import WireBase
package import WireConfig
import WireNotificationContract
import WireService
import WireSyncContract

extension SyncSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(.refetching)
        checks.offer(.subscriptionMessages)
        if operations != nil || $operations.state == .uncertain { checks.offer(Provision(.operation)) }
        checkDeclared(&checks)
        checkUndeclared(&checks)
        // With a wrong value it is unknown which of the two was meant.
        if authenticated, $authenticated.state != .uncertain {
            checks.need(
                Provision(.accessTokens),
                .syncNeedsTokens,
                at: $url,
                "sync sends a token with each request, and there is no 'auth' section",
                help: "add an 'auth' section, or write \(setting: "authenticated: false", of: "sync")"
            )
        }
        checkHeaders(headers.names, "headers", &checks)
        checkHeaders(secretHeaders.names, "secretHeaders", &checks)
        checkBothHeaders(&checks)
        checkSecretHeaders(&checks)
        checkReconnect(&checks)
        checkCache(&checks)
    }

    private func checkDeclared(_ checks: inout Checks) {
        guard only == .declared, $only.isWritten, operations == nil, $operations.state == .absent else { return }
        checks.report(
            .noDeclaredOperations,
            at: $only,
            "sync.only accepts declared operations, and no file declares operations",
            help: "name the files in \(setting: "operations: graphql/*.graphql", of: "sync")"
        )
    }

    /// Reports settings that name declared operations where no files declare any.
    private func checkUndeclared(_ checks: inout Checks) {
        guard operations == nil, $operations.state == .absent else { return }
        let uses =
            subscriptions.items.map { ("subscriptions.\($0.name)", $0.namePlace) }
            + delta.items.map { ("delta.\($0.name)", $0.namePlace) }
            + mutations.items.filter { !$0.value.adds.isEmpty }.map { ("mutations.\($0.name).adds", $0.value.$adds) }
        for (name, place) in uses {
            checks.report(
                .noOperationFiles,
                at: place,
                "sync.\(name) names a declared operation, and no file declares operations",
                help: "name the files in \(setting: "operations: graphql/*.graphql", of: "sync")"
            )
        }
    }

    private func checkHeaders(_ names: [(text: String, place: Place)], _ key: String, _ checks: inout Checks) {
        for (name, place) in names {
            let path = "sync.\(key).\(name)"
            let lowercased = name.lowercased()
            if lowercased == "authorization", authenticated {
                guard $authenticated.state != .uncertain else { continue }
                checks.report(
                    .headerOfCorewire,
                    at: place,
                    "\(path) would replace the token of the user",
                    help: "remove it, or write \(setting: "authenticated: false", of: "sync")"
                )
            } else if Self.headersOfTheProtocol.contains(lowercased) || lowercased.hasPrefix("sec-websocket-") {
                checks.report(.headerOfCorewire, at: place, "\(path) is a header that the service sets itself")
            }
        }
    }

    /// Fields that are set by the body, the connection and the handshake.
    private static let headersOfTheProtocol: Set<String> = [
        "connection", "content-length", "content-type", "host", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private func checkBothHeaders(_ checks: inout Checks) {
        for secret in secretHeaders.names {
            guard let other = headers.names.first(where: { $0.text.lowercased() == secret.text.lowercased() }) else {
                continue
            }
            checks.report(
                .headerOfCorewire,
                at: other.place,
                "sync.headers.\(other.text) is also set in 'secretHeaders'",
                related: (secret.place, "the other one")
            )
        }
    }

    /// Reports plain values of fields that usually contain secrets; the value of a reference is unknown.
    private func checkSecretHeaders(_ checks: inout Checks) {
        let others = secretHeaders.names.map { $0.text.lowercased() }
        for item in headers.fields.items where HeaderName.seemsToCarrySecret(item.name) {
            let name = item.name.lowercased()
            guard !others.contains(name), name != "authorization" || !authenticated else { continue }
            checks.report(
                .openSecretHeader,
                at: item.namePlace,
                "sync.headers.\(item.name): the field looks like a secret",
                help: "values here are shown in output; write it under 'secretHeaders'"
            )
        }
    }

    private func checkReconnect(_ checks: inout Checks) {
        guard $reconnect.isWritten, reconnect.$min.state != .uncertain, reconnect.$max.state != .uncertain,
            reconnect.min > reconnect.max
        else { return }
        let place = reconnect.$min.isWritten ? reconnect.$min : reconnect.$max
        checks.report(
            .waitsTurnedRound,
            at: place,
            "sync.reconnect: min (\(reconnect.min.literal.plainText)) is greater than max (\(reconnect.max.literal.plainText))",
            related: reconnect.$min.isWritten && reconnect.$max.isWritten ? (reconnect.$max, "max") : nil
        )
    }

    private func checkCache(_ checks: inout Checks) {
        guard $cache.isWritten, cache.policy == .noCache, cache.$policy.isWritten else { return }
        for (name, place) in [("maxAge", cache.$maxAge), ("maxSize", cache.$maxSize)] where place.isWritten {
            checks.report(
                .unusedCacheRule,
                at: place,
                "sync.cache.\(name) has no effect with policy 'noCache'",
                related: (cache.$policy, "this policy caches nothing")
            )
        }
    }
}
