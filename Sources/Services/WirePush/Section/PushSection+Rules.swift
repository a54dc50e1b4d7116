import WireBase
package import WireConfig
import WireService

extension PushSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(Provision(.pushServers))
        if registrars.items.isEmpty {
            checks.report(
                .noRegistrar,
                at: $registrars,
                "push has no registrars, so no server learns of this device",
                help: "write \(setting: "registrars: { name: { type: unifiedPush, … } }", of: "push")"
            )
        }
        checkTokens(&checks)
        for item in registrars.items {
            if item.value.needs?.contains(.user) == true {
                checks.needUser("push.registrars.\(item.name)", at: item.place)
            }
            switch item.value {
            case .unifiedPush: break
            case .healthCloud(let account): check(account, named: item.name, &checks)
            case .altcraft(let account): check(account, named: item.name, &checks)
            case .halo(let account): check(account, named: item.name, at: item.place, &checks)
            case .rest(let account): check(account, named: item.name, &checks)
            }
        }
    }

    // MARK: Providers and tokens

    private func checkTokens(_ checks: inout Checks) {
        report(providers, twiceAt: $providers, "push.providers", &checks)
        let sourced = PushProvider.allCases.filter(hasSource)
        guard !sourced.isEmpty else { return checkThatThereAreTokens(&checks) }
        if $providers.isWritten { report(providers, withoutTokenAt: $providers, "push.providers", &checks) }
        guard $providers.state != .uncertain, accounts.allSatisfy({ $0.value.$providers.state != .uncertain }) else {
            return
        }
        let used = providers + accounts.flatMap { $0.value.providers ?? [] }
        for provider in sourced where !used.contains(provider) {
            checks.report(
                .unusedToken,
                at: tokens.place(of: provider),
                "push.tokens.\(provider.rawValue) is never asked for, because push.providers lacks '\(provider.rawValue)'",
                related: $providers.isWritten ? ($providers, "the providers that are tried") : nil
            )
        }
    }

    /// Counterparts built into corewire make their own tokens; other servers know a device by nothing else.
    private func checkThatThereAreTokens(_ checks: inout Checks) {
        guard checks.environment.backend != .embedded, checks.environment.isBackendKnown, !registrars.items.isEmpty
        else { return }
        checks.report(
            .noTokens,
            at: $tokens,
            "push has registrars and no token to register",
            help:
                "write \(setting: "tokens: { apns: { file: … } }", of: "push"), or \(setting: "tokens: { apns: app }", of: "push") where the app hands it in"
        )
    }

    /// Whether a provider has a token source; one that is written wrongly counts.
    private func hasSource(_ provider: PushProvider) -> Bool {
        $tokens.state != .absent && tokens.place(of: provider).state != .absent
    }

    private func report(_ providers: [PushProvider], twiceAt place: Place, _ path: String, _ checks: inout Checks) {
        for provider in PushProvider.allCases where providers.count(where: { $0 == provider }) > 1 {
            checks.report(.duplicateProvider, at: place, "\(path) has '\(provider.rawValue)' more than once")
        }
    }

    private func report(
        _ providers: [PushProvider],
        withoutTokenAt place: Place,
        _ path: String,
        _ checks: inout Checks
    ) {
        for provider in PushProvider.allCases where providers.contains(provider) && !hasSource(provider) {
            checks.report(
                .providerWithoutToken,
                at: place,
                "\(path) has '\(provider.rawValue)', whose token comes from nowhere",
                help: "write 'push.tokens.\(provider.rawValue)', or leave the provider out"
            )
        }
    }

    private var accounts: [(name: String, value: AltcraftAccount)] {
        registrars.items.compactMap { item in
            if case .altcraft(let account) = item.value { (item.name, account) } else { nil }
        }
    }

    // MARK: Registrars

    private func check(_ account: HealthCloudAccount, named name: String, _ checks: inout Checks) {
        checks.need(
            Provision(.accessTokens, "user"),
            .registrarNeedsSignIn,
            at: account.$path,
            "push.registrars.\(name) sends a token of the user, and no section signs users in",
            help: "add an 'auth' section, with another mode than 'app'"
        )
        checks.needTokenHost(
            of: account.path,
            at: account.$path,
            "push.registrars.\(name).path",
            orElse: "type: rest",
            from: account.$path
        )
        if account.apiKeyHeader.text.lowercased() == "authorization" {
            checks.report(
                .takenHeader,
                at: account.$apiKeyHeader,
                "push.registrars.\(name).apiKeyHeader is the header that carries the user's token",
                help: "write the header the server reads the API key from, 'x-api-key' for instance"
            )
        }
    }

    private func check(_ account: AltcraftAccount, named name: String, _ checks: inout Checks) {
        let path = "push.registrars.\(name)"
        checkAuthorization(account, path, &checks)
        checkProviders(account, path, &checks)
        for field in account.profileFields.items {
            guard case .change(let change) = field.value, change.value == nil, change.action != .unset else { continue }
            checks.report(
                .changeWithoutValue,
                at: change.$value.state == .absent ? change.$action : change.$value,
                "\(path).profileFields.\(field.name): action '\(change.action.rawValue)' needs a value",
                help: "write \(setting: "value: …")"
            )
        }
    }

    private func checkAuthorization(_ account: AltcraftAccount, _ path: String, _ checks: inout Checks) {
        // A role token is most often a reference, whose value nobody knows here; that it is written is enough.
        let hasRoleToken = account.$roleToken.state != .absent
        let environment = checks.environment
        if !hasRoleToken, account.jwt == nil, environment.backend != .embedded, environment.isBackendKnown {
            checks.report(
                .noAltcraftToken,
                at: account.$jwt,
                "\(path) has neither 'rToken' nor 'jwt', so Altcraft would refuse every request",
                help: "write \(setting: "rToken: ${env:ALTCRAFT_RTOKEN}"), or \(setting: "jwt: auth")"
            )
        }
        if hasRoleToken, account.jwt != nil {
            checks.report(.twoAltcraftTokens, at: account.$jwt, "\(path).jwt is never used, because 'rToken' wins")
        }
        if case .word(.auth) = account.jwt, !hasRoleToken {
            checks.need(
                Provision(.accessTokens, "user"),
                .registrarNeedsSignIn,
                at: account.$jwt,
                "\(path).jwt is the token of the user, and no section signs users in",
                help: "add an 'auth' section, with another mode than 'app'"
            )
        }
        if account.matchingMode != nil, !hasRoleToken {
            checks.report(
                .unusedMatchingMode,
                at: account.$matchingMode,
                "\(path).matchingMode is for a role token; a JWT says itself how it matches"
            )
        }
    }

    private func checkProviders(_ account: AltcraftAccount, _ path: String, _ checks: inout Checks) {
        let own = account.providers ?? []
        report(own, twiceAt: account.$providers, "\(path).providers", &checks)
        if PushProvider.allCases.contains(where: hasSource) {
            report(own, withoutTokenAt: account.$providers, "\(path).providers", &checks)
        }
        let tried = account.providers ?? providers
        // A list of its own that is wrong was meant to replace the common one.
        let isKnown =
            account.$providers.state != .uncertain
            && (account.providers != nil || $providers.state != .uncertain)
        guard isKnown, account.$platform.isWritten, !tried.isEmpty,
            !tried.contains(where: account.platform.providers.contains)
        else { return }
        checks.report(
            .foreignProvider,
            at: account.$platform,
            "\(path): platform '\(account.platform.rawValue)' knows none of the providers that are tried",
            help: "it knows \(account.platform.providers.map(\.rawValue).listed("and"))"
        )
    }
}
