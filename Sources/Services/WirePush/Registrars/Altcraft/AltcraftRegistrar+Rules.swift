import WireBase
import WireConfig
import WirePushContract

/// The rules of an Altcraft platform.
extension AltcraftRegistrar {
    func check(_ path: String, at place: Place, of section: PushSection, _ checks: inout Checks) {
        checkAuthorization(path, &checks)
        checkProviders(path, of: section, &checks)
        for field in profileFields.items {
            guard case .change(let change) = field.value, change.value == nil, change.action != .unset else { continue }
            checks.report(
                .changeWithoutValue,
                at: change.$value.state == .absent ? change.$action : change.$value,
                "\(path).profileFields.\(field.name): action '\(change.action.rawValue)' needs a value",
                help: "write \(setting: "value: …")"
            )
        }
    }

    private func checkAuthorization(_ path: String, _ checks: inout Checks) {
        // A role token is most often a reference, whose value is not known here; that it is written is enough.
        let hasRoleToken = $roleToken.state != .absent
        let environment = checks.environment
        if !hasRoleToken, jwt == nil, environment.backend != .embedded, environment.isBackendKnown {
            checks.report(
                .noAltcraftToken,
                at: $jwt,
                "\(path) has neither 'rToken' nor 'jwt', so Altcraft would refuse every request",
                help: "write \(setting: "rToken: ${env:ALTCRAFT_RTOKEN}"), or \(setting: "jwt: auth")"
            )
        }
        if hasRoleToken, jwt != nil {
            checks.report(.twoAltcraftTokens, at: $jwt, "\(path).jwt is never used, because 'rToken' wins")
        }
        if case .word(.auth) = jwt, !hasRoleToken {
            checks.need(
                Provision(.accessTokens, "user"),
                .registrarNeedsSignIn,
                at: $jwt,
                "\(path).jwt is the token of the user, and no section signs users in",
                help: "add an 'auth' section, with another mode than 'app'"
            )
        }
        if matchingMode != nil, !hasRoleToken {
            checks.report(
                .unusedMatchingMode,
                at: $matchingMode,
                "\(path).matchingMode is for a role token; a JWT says itself how it matches"
            )
        }
    }

    private func checkProviders(_ path: String, of section: PushSection, _ checks: inout Checks) {
        let own = providers ?? []
        section.report(own, twiceAt: $providers, "\(path).providers", &checks)
        if PushProvider.allCases.contains(where: section.hasSource) {
            section.report(own, withoutTokenAt: $providers, "\(path).providers", &checks)
        }
        let tried = providers ?? section.providers
        // A list of its own that is wrong was meant to replace the common one.
        let isKnown =
            $providers.state != .uncertain
            && (providers != nil || section.$providers.state != .uncertain)
        guard isKnown, $platform.isWritten, !tried.isEmpty,
            !tried.contains(where: platform.providers.contains)
        else { return }
        checks.report(
            .foreignProvider,
            at: $platform,
            "\(path): platform '\(platform.rawValue)' knows none of the providers that are tried",
            help: "it knows \(platform.providers.map(\.rawValue).listed("and"))"
        )
    }
}

extension Code {
    fileprivate static let noAltcraftToken = Code(
        "CW1208",
        "altcraft-authorization",
        .error,
        """
        Every request to Altcraft is authorized by one of two things. A role token (rToken) stands for anonymous \
        subscriptions. A JWT stands for a person: its claim 'matching' says which profile is meant. 'jwt' names where it \
        comes from: 'auth', 'app', or a mapping with 'file', 'env' or 'exec'.
        """
    )
    fileprivate static let twoAltcraftTokens = Code(
        "CW1209",
        "two-altcraft-tokens",
        .warning,
        """
        Altcraft's SDKs look at the role token first and ask for a JWT only where there is none; so does corewire. With both \
        in the file, all subscriptions are anonymous. Keep the one that is meant.
        """
    )
    fileprivate static let foreignProvider = Code(
        "CW1210",
        "foreign-provider",
        .error,
        """
        Altcraft names providers by platform: ios-apns, ios-firebase, ios-huawei, android-firebase, android-huawei. A \
        subscription whose platform knows none of the providers that are tried cannot be made.
        """
    )
    fileprivate static let unusedMatchingMode = Code(
        "CW1211",
        "unused-matching-mode",
        .warning,
        """
        With a role token the request says how the platform finds the profile. With a JWT the token says it, in its claim \
        'matching', and what the file says is not sent.
        """
    )
    fileprivate static let changeWithoutValue = Code(
        "CW1212",
        "change-without-value",
        .error,
        """
        All actions on a field of a profile but 'unset' do something with a value: they set it, add it to a number, put it into \
        a list or take it out.
        """
    )

    static let altcraftCodes = [
        noAltcraftToken, twoAltcraftTokens, foreignProvider, unusedMatchingMode, changeWithoutValue,
    ]
}
