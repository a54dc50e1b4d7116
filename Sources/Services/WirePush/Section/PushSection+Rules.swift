import WireBase
package import WireConfig
import WireMessageBus
import WirePushContract
import WireService

extension PushSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(Provision(.pushServers))
        checks.offer(ServiceAbility.webPush)
        if registrars.items.isEmpty {
            checks.report(
                .noRegistrar,
                at: $registrars,
                "push has no registrars, so no server gets a push token",
                help: "write \(setting: "registrars: { name: { type: unifiedPush, … } }", of: "push")"
            )
        }
        checkTokens(&checks)
        for item in registrars.items {
            if item.value.value.needs?.contains(.user) == true {
                checks.needUser("push.registrars.\(item.name)", at: item.place)
            }
            item.value.value.check("push.registrars.\(item.name)", at: item.place, of: self, &checks)
            checkProviders(of: item.value.value, "push.registrars.\(item.name)", at: item.place, &checks)
        }
    }

    // MARK: Providers and tokens

    /// Reports faults of a server's own providers, and a server that can get the token of none of the common ones.
    private func checkProviders(
        of registrar: any PushRegistrar,
        _ path: String,
        at place: Place,
        _ checks: inout Checks
    ) {
        if let setting = registrar.ownProviders, let own = setting.wrappedValue {
            report(own, twiceAt: setting.projectedValue, "\(path).providers", &checks)
            if PushProvider.allCases.contains(where: hasSource) {
                report(own, withoutTokenAt: setting.projectedValue, "\(path).providers", &checks)
            }
        }
        guard registrar.ownProviders == nil, $providers.isWritten, !providers.isEmpty,
            registrar.tried(of: providers).isEmpty
        else { return }
        checks.report(
            .foreignProvider,
            at: place,
            "\(path) supports none of the providers in use: it takes no Web Push subscription",
            help: "add another provider to 'push.providers'",
            related: ($providers, "the providers in use")
        )
    }

    private func checkTokens(_ checks: inout Checks) {
        report(providers, twiceAt: $providers, "push.providers", &checks)
        let sourced = PushProvider.allCases.filter(hasSource)
        guard !sourced.isEmpty else { return checkThatThereAreTokens(&checks) }
        if $providers.isWritten { report(providers, withoutTokenAt: $providers, "push.providers", &checks) }
        let own = registrars.items.compactMap { $0.value.value.ownProviders }
        guard $providers.state != .uncertain, own.allSatisfy({ $0.projectedValue.state != .uncertain }) else { return }
        let used = providers + own.flatMap { $0.wrappedValue ?? [] }
        for provider in sourced where !used.contains(provider) {
            checks.report(
                .unusedToken,
                at: tokens.place(of: provider),
                "push.tokens.\(provider.rawValue) is unused, because push.providers lacks '\(provider.rawValue)'",
                related: $providers.isWritten ? ($providers, "the providers in use") : nil
            )
        }
        checkWebPush(&checks)
    }

    private func checkWebPush(_ checks: inout Checks) {
        guard hasSource(.webPush) else { return }
        if !checks.configuration.has(named: "notifications") {
            checks.report(
                .webPushNotRead,
                at: tokens.$webPush,
                "push.tokens.webPush needs a 'notifications' section, which accepts the messages",
                help: "add 'notifications: {}'"
            )
        }
        checkDistributor(&checks)
        let registrars = registrars.items.map(\.value.value)
        guard !registrars.isEmpty, !registrars.contains(where: { $0.takesWebPush }) else { return }
        checks.report(
            .unusedToken,
            at: tokens.$webPush,
            "push.tokens.webPush is unused, because none of the registrars takes a Web Push subscription",
            help: "add a registrar of the type 'unifiedPush', 'healthCloud' or 'rest'"
        )
    }

    /// The connector of a distributor has the app's id as its name on the bus.
    private func checkDistributor(_ checks: inout Checks) {
        guard tokens.webPush?.isDistributor ?? false, checks.backend != .embedded,
            let app = checks.configuration[AppSection.self], app.$id.state != .absent,
            !BusName.isWellKnown(app.id.text)
        else { return }
        checks.report(
            .appIDNotABusName,
            at: tokens.$webPush,
            "app.id is not a name for the session bus, which push.tokens.webPush of the type 'distributor' needs",
            help: "begin each part of app.id with a letter",
            related: (app.$id, "the id of the app")
        )
    }

    /// Embedded servers make their own tokens; other servers identify a device only by its token.
    private func checkThatThereAreTokens(_ checks: inout Checks) {
        guard checks.environment.backend != .embedded, checks.environment.isBackendKnown, !registrars.items.isEmpty
        else { return }
        checks.report(
            .noTokens,
            at: $tokens,
            "push has registrars but no token source",
            help:
                "write \(setting: "tokens: { apns: { file: … } }", of: "push"), or \(setting: "tokens: { apns: app }", of: "push") to let the app set it"
        )
    }

    /// Whether a provider has a token source; an invalid one counts.
    func hasSource(_ provider: PushProvider) -> Bool {
        $tokens.state != .absent && tokens.place(of: provider).state != .absent
    }

    func report(_ providers: [PushProvider], twiceAt place: Place, _ path: String, _ checks: inout Checks) {
        for provider in PushProvider.allCases where providers.count(where: { $0 == provider }) > 1 {
            checks.report(.duplicateProvider, at: place, "\(path) has '\(provider.rawValue)' more than once")
        }
    }

    func report(
        _ providers: [PushProvider],
        withoutTokenAt place: Place,
        _ path: String,
        _ checks: inout Checks
    ) {
        for provider in PushProvider.allCases where providers.contains(provider) && !hasSource(provider) {
            checks.report(
                .providerWithoutToken,
                at: place,
                "\(path) has '\(provider.rawValue)', which has no token source",
                help: "write 'push.tokens.\(provider.rawValue)', or remove the provider"
            )
        }
    }
}
