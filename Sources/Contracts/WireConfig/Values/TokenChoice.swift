import WireBase

/// Whose access token a request carries.
package enum TokenChoice: String, Choice {
    case none, user, app, appPlus

    package var help: String {
        switch self {
        case .none: "none; nothing waits for a sign-in"
        case .user: "the token of the signed-in user; nothing is sent before there is one"
        case .app: "the token of the app"
        case .appPlus: "the token of the app, with the user it has identified"
        }
    }

    /// The key of a request that carries the usual token to the server of the base URL where nothing is written.
    package static func key(_ keys: inout Keys, _ what: String = "it carries") -> Setting<TokenChoice?> {
        keys.optional(
            "authorization",
            "Whose token \(what). The usual one when absent, which goes to the server of the base URL and to those of "
                + "'network.tokenHosts' alone.",
            .example("app")
        )
    }
}

extension Checks {
    /// Holds a request that asks for a token against the file: a section must give it, and its server may have to be named.
    ///
    /// A token goes to the origin of the environment's base URL, and to others only where `network.tokenHosts` names them.
    /// Nothing is said of an embedded environment, whose servers are known when they have started.
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
            "\(path) asks for a token, and no section \(choice == .user ? "signs users in" : "gives tokens")",
            help: "add the section 'auth', or write \(setting: "authorization: none")"
        )
        if let address {
            needTokenHost(of: address, at: place, path, orElse: "authorization: none", from: addressPlace)
        }
    }

    /// The same for a request that has the older 'authenticated' as well: it says the same, and only one may be given.
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
                "\(path) has 'authenticated' and 'authorization', only one may be given",
                help: "keep 'authorization'",
                related: (place, "the other one")
            )
        } else if let choice {
            needToken(choice, at: place, "\(path).authorization", for: address, from: addressPlace)
        }
    }

    /// The same, of the server alone; `other` is the setting to write where it is not to have the token, in a section where
    /// that is another mapping than the one pointed at.
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
                ? "\(path): \(origin.server.quoted) is not the server of the base URL, and is given no token"
                : "\(path): a token would go to \(origin.server.quoted), which is not the server of the base URL",
            help: section.map {
                "write \(setting: named, of: "") where it may have the token, or \(setting: other, of: $0)"
            } ?? "write \(setting: named, of: "") where it may have the token, or \(setting: other)"
        )
    }

    /// The same for a section whose requests carry a token unless it says otherwise: an error where it asks for one in so
    /// many words, and a warning where requests are sent without one.
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

    /// As YAML takes it within brackets.
    private static func quoted(_ text: String) -> String { text.contains(":") ? "\"\(text)\"" : text }
}
