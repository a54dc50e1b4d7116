import WireBase

/// The kind of access token in a request.
package enum TokenChoice: String, Choice {
    case none, user, app, appPlus

    package var help: String {
        switch self {
        case .none: "no token; the request does not wait for a sign-in"
        case .user: "the token of the signed-in user; the request waits for a sign-in"
        case .app: "the token of the app"
        case .appPlus: "the token of the app with an identified user"
        }
    }

    /// The setting for the token of a request; without it, requests to the base URL have the default token.
    package static func key(_ keys: inout Keys, _ what: String = "it carries") -> Setting<TokenChoice?> {
        keys.optional(
            "authorization",
            "Token \(what). Default: the token of 'auth.mode', for the server of the base URL and those of "
                + "'network.tokenHosts' alone.",
            .example("app")
        )
    }
}

extension Checks {
    /// Checks a request with a token: a section must provide tokens, and the server may have to be named.
    ///
    /// Tokens are sent to the origin of the environment's base URL, and to other origins only where
    /// `network.tokenHosts` names them. Embedded environments are not checked, because their servers are known only
    /// after start.
    package mutating func needToken(
        _ choice: TokenChoice,
        at place: Place,
        _ path: String,
        for address: Address?,
        from addressPlace: Place
    ) {
        guard choice != .none else { return }
        need(
            choice == .user ? Provision(.accessTokens, "user") : Provision(.accessTokens),
            .authorizationUse,
            at: place,
            "\(path) needs a token, but no section \(choice == .user ? "signs users in" : "provides tokens")",
            help: "add the section 'auth', or write \(setting: "authorization: none")"
        )
        if let address {
            needTokenHost(of: address, at: place, path, orElse: "authorization: none", from: addressPlace)
        }
    }

    /// Checks a request that also has the older key 'authenticated', of which only one may be given.
    package mutating func checkToken(
        _ choice: TokenChoice?,
        at place: Place,
        orAuthenticated authenticated: Place,
        _ path: String,
        for address: Address,
        from addressPlace: Place
    ) {
        if place.state != .absent, authenticated.isWritten {
            report(
                .authorizationUse,
                at: authenticated,
                "\(path) has both 'authenticated' and 'authorization'; only one is allowed",
                help: "keep 'authorization'",
                related: (place, "the other one")
            )
        } else if let choice {
            needToken(choice, at: place, "\(path).authorization", for: address, from: addressPlace)
        }
    }

    /// Checks only the server of a request; `other` is the setting to write where the server must not receive the
    /// token, which may be in another mapping.
    package mutating func needTokenHost(
        of address: Address,
        at place: Place,
        _ path: String,
        orElse other: String,
        of section: String? = nil,
        as code: Code = .tokenHost,
        from addressPlace: Place
    ) {
        let environment = environment
        guard environment.backend == .remote, environment.isBackendKnown, addressPlace.state != .uncertain,
            environment.baseURL != nil || environment.baseURLPlace.state != .uncertain,
            let origin = address.absolute?.origin, origin != environment.baseURL?.origin
        else { return }
        let named = "network: { tokenHosts: [\(Self.quoted(origin.server))] }"
        need(
            Provision(.tokenHost, "\(origin)"),
            code,
            at: place,
            code == .foreignServer
                ? "\(path): \(origin.server.quoted) is not the server of the base URL and receives no token"
                : "\(path): a token would go to \(origin.server.quoted), which is not the server of the base URL",
            help: section.map {
                "write \(setting: named, of: "") if it may receive the token, or \(setting: other, of: $0)"
            } ?? "write \(setting: named, of: "") if it may receive the token, or \(setting: other)"
        )
    }

    /// Checks a section whose requests have a token by default: an explicit token is an error, and a token that is left
    /// out a warning.
    package mutating func checkTokenServer(
        of address: Address,
        at addressPlace: Place,
        _ section: String,
        authenticated: Place
    ) {
        let isAsked = authenticated.isWritten
        needTokenHost(
            of: address,
            at: isAsked ? authenticated : addressPlace,
            isAsked ? "\(section).authenticated" : "\(section).url",
            orElse: "authenticated: false",
            of: section,
            as: isAsked ? .tokenHost : .foreignServer,
            from: addressPlace
        )
    }

    /// Quotes text for YAML brackets where necessary.
    private static func quoted(_ text: String) -> String { text.contains(":") ? "\"\(text)\"" : text }
}
