import WireBase
package import WireConfig

extension BackendsSection {
    /// Checks the rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        if checks.environment.backend == .embedded {
            checks.offer(Provision(.backend, "issuer"))
            checks.offer(Provision(.backend, "base"))
            checks.offer(Provision(.backend, "push"))
        }
        checkUse(&checks)
        checkAddresses(&checks)
        checkUsers(&checks)
        checkClients(&checks)
        if graphql.data != nil, graphql.$schema.state == .absent {
            checks.report(.dataWithoutSchema, at: graphql.$data, "backends.graphql.data needs 'schema'")
        }
    }

    /// The section is shared by all environments, so this applies only to a file with a single one.
    private func checkUse(_ checks: inout Checks) {
        let environment = checks.environment
        guard environment.backend == .remote, environment.isBackendKnown, environment.declared.names.count <= 1 else {
            return
        }
        checks.report(
            .unusedBackends,
            at: $listen,
            "backends has no effect, no environment has 'backend: embedded'",
            help: "write \(setting: "backend: embedded") in the environment, or remove the section"
        )
    }

    private func checkAddresses(_ checks: inout Checks) {
        let own: [(String, ListenAddress?, Place)] = [
            ("backends.listen", listen, $listen),
            ("backends.issuer.listen", issuer.listen, issuer.$listen),
            ("backends.push.listen", push.listen, push.$listen),
            ("backends.graphql.listen", graphql.listen, graphql.$listen),
            ("backends.content.listen", content.listen, content.$listen),
            ("backends.files.listen", files.listen, files.$listen),
            ("backends.mqtt.listen", mqtt.listen, mqtt.$listen),
            ("backends.security.listen", security.listen, security.$listen),
        ]
        var taken: [ListenAddress: (String, Place)] = [:]
        for (path, address, place) in own {
            guard let address, place.isWritten else { continue }
            if !address.isLoopback {
                checks.report(
                    .openBackends,
                    at: place,
                    "\(path): \(address.description.quoted) can be reached from other machines",
                    help: "listen at 127.0.0.1; if a phone must reach the server, allow the warning"
                )
            }
            guard address.port != 0 else { continue }
            if let (otherPath, other) = taken[address] {
                checks.report(
                    .sameAddress,
                    at: place,
                    "\(path) has the same address as \(otherPath)",
                    related: (other, "the other one")
                )
            }
            taken[address] = (path, place)
        }
    }

    private func checkUsers(_ checks: inout Checks) {
        var known: [String: Named<EmbeddedUser>.Item] = [:]
        for item in issuer.users.items {
            checkClaims(item, &checks)
            guard let email = item.value.email?.lowercased() else { continue }
            if let earlier = known[email] {
                checks.report(
                    .sameEmail,
                    at: item.value.$email,
                    "users '\(earlier.name)' and '\(item.name)' have the same email address",
                    related: (earlier.value.$email, "the same here")
                )
            }
            known[email] = item
        }
        if issuer.signIn == .automatic, !issuer.users.items.isEmpty, issuer.users.items.allSatisfy(\.value.isBlocked) {
            checks.report(
                .noUserToSignIn,
                at: issuer.$signIn,
                "backends.issuer.signIn: no user can sign in, since all are blocked",
                related: (issuer.$users, "these")
            )
        }
    }

    private func checkClients(_ checks: inout Checks) {
        for item in issuer.clients.items {
            let lists = [
                ("redirectUris", item.value.redirectURIs, item.value.$redirectURIs),
                ("postLogoutRedirectUris", item.value.postLogoutRedirectURIs, item.value.$postLogoutRedirectURIs),
            ]
            for (key, uris, place) in lists {
                guard let wrong = uris.first(where: { RedirectTarget($0) == nil }) else { continue }
                checks.report(
                    .badRedirect,
                    at: place,
                    "backends.issuer.clients.\(item.name).\(key): \(wrong.shown(upTo: 80).quoted) is not a valid redirect URI",
                    help: "write an absolute URI without fragment and user name, such as com.example.tasks:/callback"
                )
            }
        }
    }

    private func checkClaims(_ item: Named<EmbeddedUser>.Item, _ checks: inout Checks) {
        let path = "backends.issuer.users.\(item.name).claims"
        guard case .mapping(let claims) = item.value.claims else {
            checks.report(.badClaims, at: item.value.$claims, "\(path): expected a mapping of claims")
            return
        }
        guard let own = claims.first(where: { Self.issuerClaims.contains($0.key) }) else { return }
        checks.report(
            .badClaims,
            at: item.value.$claims,
            "\(path): \(own.key.quoted) is set by the server",
            help: "remove it"
        )
    }

    /// The claims for issuer, audience and lifetime of a token.
    private static let issuerClaims: Set<String> = [
        "iss", "sub", "aud", "azp", "exp", "iat", "nbf", "jti", "nonce", "auth_time", "at_hash", "typ",
    ]
}
