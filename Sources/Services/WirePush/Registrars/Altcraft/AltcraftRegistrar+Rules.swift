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
        // A role token is usually a reference whose value is unknown here; its presence is enough.
        let hasRoleToken = $roleToken.state != .absent
        let environment = checks.environment
        if !hasRoleToken, jwt == nil, environment.backend != .embedded, environment.isBackendKnown {
            checks.report(
                .noAltcraftToken,
                at: $jwt,
                "\(path) has neither 'rToken' nor 'jwt', so Altcraft would reject every request",
                help: "write \(setting: "rToken: ${env:ALTCRAFT_RTOKEN}"), or \(setting: "jwt: auth")"
            )
        }
        if hasRoleToken, jwt != nil {
            checks.report(.twoAltcraftTokens, at: $jwt, "\(path).jwt is unused, because 'rToken' takes precedence")
        }
        if case .word(.auth) = jwt, !hasRoleToken {
            checks.need(
                Provision(.accessTokens, "user"),
                .registrarNeedsSignIn,
                at: $jwt,
                "\(path).jwt is the token of the user, and no section signs in users",
                help: "add an 'auth' section, with another mode than 'app'"
            )
        }
        if matchingMode != nil, !hasRoleToken {
            checks.report(
                .unusedMatchingMode,
                at: $matchingMode,
                "\(path).matchingMode has no effect without 'rToken': a JWT contains its matching mode"
            )
        }
    }

    private func checkProviders(_ path: String, of section: PushSection, _ checks: inout Checks) {
        let tried = providers ?? section.providers
        // An invalid list of the registrar was meant to replace the common one.
        let isKnown =
            $providers.state != .uncertain
            && (providers != nil || section.$providers.state != .uncertain)
        guard isKnown, $platform.isWritten, !tried.isEmpty,
            !tried.contains(where: supported.contains)
        else { return }
        checks.report(
            .foreignProvider,
            at: $platform,
            "\(path): platform '\(platform.rawValue)' supports none of the providers in use",
            help: "supported providers: \(supported.map(\.rawValue).listed("and"))"
        )
    }
}

extension Code {
    fileprivate static let noAltcraftToken = Code(
        "CW1208",
        "altcraft-authorization",
        .error,
        """
        Requests to Altcraft are authorized by a role token (rToken) or by a JWT. A role token creates anonymous \
        subscriptions. A JWT identifies a profile by its claim 'matching'. Set 'jwt' to the source of the token: \
        'auth', 'app', or a mapping with 'file', 'env' or 'exec'.
        """
    )
    fileprivate static let twoAltcraftTokens = Code(
        "CW1209",
        "two-altcraft-tokens",
        .warning,
        """
        corewire uses the role token first and a JWT only where there is none, as Altcraft's SDKs do. With both in \
        the file, all subscriptions are anonymous. Remove the one that is not meant.
        """
    )
    fileprivate static let unusedMatchingMode = Code(
        "CW1211",
        "unused-matching-mode",
        .warning,
        """
        With a role token, 'matchingMode' tells the platform how to find the profile. With a JWT, the claim \
        'matching' does, and 'matchingMode' is not sent.
        """
    )
    fileprivate static let changeWithoutValue = Code(
        "CW1212",
        "change-without-value",
        .error,
        """
        All actions on a profile field but 'unset' need a value: to set, to add to a number, to put into a list or \
        to remove from it.
        """
    )

    static let altcraftCodes = [
        noAltcraftToken, twoAltcraftTokens, unusedMatchingMode, changeWithoutValue,
    ]
}
