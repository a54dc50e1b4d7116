import WireAuthContract
import WireBase
import WireConfig
import WireJOSE
import WireService

extension OpenIDServer {
    /// The password grant (RFC 6749, section 4.3), which RFC 9700 forbids for people.
    func signIn(name: String, password: Secret<String>) async throws(SignInFailure) -> Grant {
        let metadata = try await metadata()
        var form = [
            ("username", name), ("password", password.reveal()), ("scope", settings.scopes.joined(separator: " ")),
        ]
        let connection = settings.parameters.first { $0.name == "connection" }?.value
        if settings.dialect == .auth0, let connection {
            // Auth0 keeps users in several databases; only its own grant lets one be named.
            form += [("grant_type", "http://auth0.com/oauth/grant-type/password-realm"), ("realm", connection)]
        } else {
            form.append(("grant_type", "password"))
        }
        let tokens = try await tokens(form + target, on: .password, from: metadata)
        return try await grant(tokens, rules(), metadata)
    }

    /// Client credentials (RFC 6749, section 4.4), without the scopes that are about a user.
    func signInApp() async throws(SignInFailure) -> Grant {
        guard settings.clientSecret != nil else {
            throw SignInFailure(.unsupported, "the app has no secret to sign in with", setting: .clientSecret)
        }
        let metadata = try await metadata()
        let scopes = settings.scopes.filter { !Self.scopesOfUsers.contains($0) }
        var form = [("grant_type", "client_credentials")]
        if !scopes.isEmpty { form.append(("scope", scopes.joined(separator: " "))) }
        var tokens = try await tokens(form + target, on: .app, from: metadata)
        // The app can ask again whenever it likes; a token to do that by is one more that can be stolen (section 4.4.3).
        (tokens.refreshToken, tokens.idToken) = (nil, nil)
        return tokens.grant(at: now, asking: scopes, user: nil)
    }

    private static var scopesOfUsers: Set<String> {
        ["openid", "profile", "email", "address", "phone", "offline_access"]
    }

    /// The same again with the refresh token; of the app, by its secret.
    ///
    /// A server that rotates sends a new refresh token, one that does not sends none and means the old one to go on.
    func refresh(_ grant: Grant) async throws(SignInFailure) -> Grant {
        guard let refreshToken = grant.refreshToken else {
            guard grant.user == nil else {
                throw SignInFailure(.unsupported, "the server gave no refresh token", setting: .scopes)
            }
            return try await signInApp()
        }
        let metadata = try await metadata()
        let tokens = try await tokens(
            [("grant_type", "refresh_token"), ("refresh_token", refreshToken.reveal())],
            on: .refresh,
            from: metadata
        )
        let rules = rules(former: grant.user)
        var renewed = tokens.grant(at: rules.now, asking: grant.scopes, user: grant.user)
        renewed.remark = tokens.remark
        if tokens.refreshToken == nil {
            renewed.refreshToken = refreshToken
            renewed.refreshExpires = tokens.refreshLifetime.map { rules.now + $0 } ?? grant.refreshExpires
        }
        renewed.idToken = tokens.idToken ?? grant.idToken
        guard let user = grant.user, let idToken = tokens.idToken else { return renewed }
        do throws(SignInFailure) {
            renewed.user = try await self.user(idToken, with: tokens.accessToken, rules, metadata).updating(user)
        } catch {
            // The refresh token is used up: shown a second time it is taken for stolen, and the server ends all that came of
            // it. So the answer counts, without an ID token that cannot be believed; where that names another user, nothing
            // of the answer can be used, and the session is over.
            guard !error.isAboutAnotherUser else { throw error }
            renewed.idToken = grant.idToken
            if !error.isAboutTheWay { renewed.remark = error }
        }
        return renewed
    }
}

extension SignInFailure {
    /// Whether it says nothing about the token itself: its key could not be had.
    fileprivate var isAboutTheWay: Bool {
        switch kind {
        case .offline, .untrusted, .serverError, .temporarilyUnavailable, .wrongAnswer, .noKey, .abandoned: true
        default: false
        }
    }
}

extension GrantedUser {
    /// What is known now: the claims of before where the new ID token does not say them anew.
    func updating(_ former: GrantedUser) -> GrantedUser {
        var user = self
        user.claims = former.claims.merging(claims.members ?? [])
        user.authTime = authTime ?? former.authTime
        return user
    }
}
