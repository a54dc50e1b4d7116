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
            // Auth0 keeps users in several databases; only its own grant selects one.
            form += [("grant_type", "http://auth0.com/oauth/grant-type/password-realm"), ("realm", connection)]
        } else {
            form.append(("grant_type", "password"))
        }
        let tokens = try await tokens(form + target, on: .password, from: metadata)
        return try await grant(tokens, rules(), metadata)
    }

    /// Client credentials (RFC 6749, section 4.4), without the scopes of a user.
    func signInApp() async throws(SignInFailure) -> Grant {
        guard settings.clientSecret != nil else {
            let help = "set 'auth.clientSecret'; with 'backend: embedded' any value works"
            throw SignInFailure(
                .unsupported,
                "the app has no secret to sign in with: \(help)",
                setting: .clientSecret
            )
        }
        let metadata = try await metadata()
        let scopes = settings.scopes.filter { !Self.scopesOfUsers.contains($0) }
        var form = [("grant_type", "client_credentials")]
        if !scopes.isEmpty { form.append(("scope", scopes.joined(separator: " "))) }
        var tokens = try await tokens(form + target, on: .app, from: metadata)
        // The app can always request a new token; a refresh token is one more secret to steal (section 4.4.3).
        (tokens.refreshToken, tokens.idToken) = (nil, nil)
        return tokens.grant(at: now, asking: scopes, user: nil)
    }

    private static var scopesOfUsers: Set<String> {
        ["openid", "profile", "email", "address", "phone", "offline_access"]
    }

    /// Renews a user's tokens with the refresh token, and the app's with its secret.
    ///
    /// A server that rotates refresh tokens sends a new one; one that does not sends none, and the old one stays valid.
    func refresh(_ grant: Grant) async throws(SignInFailure) -> Grant {
        guard let refreshToken = grant.refreshToken else {
            guard grant.user == nil else {
                throw SignInFailure(.unsupported, "the server returned no refresh token", setting: .scopes)
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
            // The refresh token has been used: a second use counts as theft, and the server would revoke the session.
            // The response is therefore accepted without an invalid ID token; where that names another user, the whole
            // response is rejected and the session ends.
            guard !error.isAboutAnotherUser else { throw error }
            renewed.idToken = grant.idToken
            if !error.isAboutTheWay { renewed.remark = error }
        }
        return renewed
    }
}

extension SignInFailure {
    /// Whether the failure says nothing about the token: its key could not be fetched.
    fileprivate var isAboutTheWay: Bool {
        switch kind {
        case .offline, .untrusted, .serverError, .temporarilyUnavailable, .wrongAnswer, .noKey, .abandoned: true
        default: false
        }
    }
}

extension GrantedUser {
    /// The user after a renewal: former claims that the new ID token does not repeat stay.
    func updating(_ former: GrantedUser) -> GrantedUser {
        var user = self
        user.claims = former.claims.merging(claims.members ?? [])
        user.authTime = authTime ?? former.authTime
        return user
    }
}
