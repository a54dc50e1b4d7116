import WireAuthContract
import WireBase
package import WireConfig
import WireService

extension AuthSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(.accessTokens)
        if mode != .app || $mode.state == .uncertain { checks.offer(.userPresence) }
        needIssuer(&checks)
        checkServer(&checks)
        checkClient(&checks)
        checkScopes(&checks)
        checkRedirect(&checks)
        checkFlow(&checks)
    }

    /// In an embedded environment the identity server is embedded, and runs before any sign-in.
    private func needIssuer(_ checks: inout Checks) {
        guard checks.backend == .embedded else { return }
        checks.need(
            Provision(.backend, "issuer"),
            .noIssuer,
            at: $url,
            "auth has no identity server, because the section 'backends' is invalid"
        )
    }

    private func checkServer(_ checks: inout Checks) {
        let isRemote = checks.backend == .remote
        if url == nil, isRemote {
            checks.report(.noIssuer, at: $url, "auth.url is missing, the URL of the identity server")
        }
        if provider == .keycloak, realm == nil, isRemote {
            checks.report(
                .noRealm,
                at: $realm,
                "auth.realm is missing, which the provider 'keycloak' requires",
                help: "write \(setting: "realm: …", of: "auth")",
                related: $provider.isWritten ? ($provider, "because of this") : nil
            )
        }
        if provider != .keycloak, realm != nil, $provider.state != .uncertain {
            checks.report(
                .noRealm,
                at: $realm,
                "auth.realm is for provider 'keycloak' only",
                help: "remove it, or write \(setting: "provider: keycloak", of: "auth")"
            )
        }
    }

    private func checkClient(_ checks: inout Checks) {
        switch (clientID, clientIDs) {
        case (nil, nil):
            guard checks.backend == .remote else { return }
            checks.report(
                .noClient,
                at: $clientID.state == .uncertain ? $clientID : $clientIDs,
                "auth has no client id",
                help: "write \(setting: "clientId: …", of: "auth"), or 'clientIds' with one for each environment"
            )
        case (.some, .some):
            checks.report(
                .noClient,
                at: $clientID,
                "auth has both 'clientId' and 'clientIds'",
                related: ($clientIDs, "and this")
            )
        case (nil, .some(let clients)):
            checkSharedClients(clients, &checks)
        case (.some, nil):
            break
        }
    }

    private func checkSharedClients(_ clients: ByEnvironment<ClientID>, _ checks: inout Checks) {
        var first: [String: Named<ClientID>.Item] = [:]
        for item in clients.items {
            guard let earlier = first[item.value.text] else {
                first[item.value.text] = item
                continue
            }
            checks.report(
                .sharedClient,
                at: item.place,
                "environments '\(earlier.name)' and '\(item.name)' have the same client id",
                related: (earlier.place, "the same here")
            )
        }
    }

    private func checkScopes(_ checks: inout Checks) {
        guard $scopes.isWritten else { return }
        let names = scopes.map(\.text)
        if let twice = names.enumerated().first(where: { names.prefix($0.offset).contains($0.element) })?.element {
            checks.report(.duplicateScope, at: $scopes, "auth.scopes has a duplicate: \(twice.quoted)")
        }
        // HALO has no scopes.
        guard mode != .app, $mode.state != .uncertain, provider != .halo else { return }
        if !names.contains("openid") {
            checks.report(
                .noOpenID,
                at: $scopes,
                "auth.scopes lacks 'openid', without which no user is signed in",
                help: "add 'openid'"
            )
        }
        if !names.contains("offline_access"), !flow.takesPasswords, $flow.state != .uncertain {
            checks.report(
                .noOfflineAccess,
                at: $scopes,
                "auth.scopes lacks 'offline_access', without which the session ends with its access token",
                help: "add 'offline_access'"
            )
        }
    }

    private func checkRedirect(_ checks: inout Checks) {
        if redirectURI.usesLocalhostName {
            checks.report(
                .localhostRedirect,
                at: $redirectURI,
                "auth.redirectUri uses the name 'localhost'",
                help: "write 127.0.0.1: the name may resolve to another address (RFC 8252, section 8.3)"
            )
        }
        if flow == .device, $redirectURI.isWritten {
            checks.report(.unusedRedirect, at: $redirectURI, "auth.redirectUri has no effect with the flow 'device'")
        }
    }

    private func checkFlow(_ checks: inout Checks) {
        if provider == .halo, mode != .app, !flow.takesPasswords, $mode.state != .uncertain {
            checks.report(
                .haloFlow,
                at: $flow,
                "flow '\(flow.rawValue)' is not supported by HALO servers",
                help:
                    "write \(setting: "flow: password", of: "auth"), \(setting: "flow: addon", of: "auth"), or \(setting: "mode: app", of: "auth")",
                related: ($provider, "because of this")
            )
        }
        if flow == .addon {
            checks.need(
                Provision(.credentials),
                .noSignInAddon,
                at: $flow,
                "the flow 'addon' requires an add-on with the hook 'auth'",
                help: "addons: { mine: { exec: [./sign-in], hooks: [auth] } }"
            )
        }
        // HALO servers support nothing better than an add-on.
        if flow == .password || flow == .addon && provider != .halo {
            checks.report(
                .passwordFlow,
                at: $flow,
                "the flow '\(flow.rawValue)' exposes the user's password to this program"
            )
        }
        if flow == .password {
            if username == nil {
                checks.report(
                    .noCredentials,
                    at: $username,
                    "auth.username is missing, which the flow 'password' requires"
                )
            }
            if password == nil {
                checks.report(
                    .noCredentials,
                    at: $password,
                    "auth.password is missing, which the flow 'password' requires"
                )
            }
        }
        if mode != .user, clientSecret == nil, checks.backend == .remote {
            checks.report(
                .noCredentials,
                at: $clientSecret,
                "auth.clientSecret is missing, which the mode '\(mode.rawValue)' requires",
                help: "the app signs in with its own secret: clientSecret: ${credential:name}",
                related: ($mode, "because of this")
            )
        }
    }
}
