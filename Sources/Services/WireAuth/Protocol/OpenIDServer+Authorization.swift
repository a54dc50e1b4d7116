import WireAuthContract
import WireBase
import WireConfig
import WireJOSE
import WireSecrets
import WireService

extension OpenIDServer {
    /// The parameters that the file cannot set.
    private static let reserved: Set = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri", "audience", "resource",
    ]

    func beginAuthorization(redirectURI: String) async throws(SignInFailure) -> PendingAuthorization {
        let metadata = try await metadata()
        guard !metadata.lacksS256 else {
            throw SignInFailure(
                .unsupported,
                "the server does not support PKCE with S256",
                setting: .url
            )
        }
        if let name = settings.parameters.first(where: { Self.reserved.contains($0.name) })?.name {
            throw SignInFailure(.unsupported, "the parameter \(name.quoted) cannot be set", setting: .parameters)
        }
        try await prepare(metadata)
        let (state, nonce, verifier) = (try unforeseeable(), try unforeseeable(), try unforeseeable())
        return PendingAuthorization(
            url: settings.authorizationURL(
                at: metadata.authorizationEndpoint,
                redirectURI: redirectURI,
                state: state,
                nonce: nonce,
                challenge: try challenge(of: verifier),
                adding: settings.parameters
            ),
            redirectURI: redirectURI,
            state: state,
            nonce: nonce,
            verifier: Secret(verifier),
            issuer: settings.issuer
        )
    }

    func finish(_ pending: PendingAuthorization, callback: String) async throws(SignInFailure) -> Grant {
        let metadata = try await metadata()
        guard pending.issuer.isExactly(settings.issuer) else {
            throw SignInFailure(.wrongIssuer, "the sign-in was started at another server")
        }
        let answer = try AuthorizationAnswer(callback, to: pending, mustNameIssuer: metadata.announcesIssuer)
        // A code can be redeemed once: fetch the metadata and keys first, so that a failure there can be retried.
        try await prepare(metadata)
        let tokens = try await tokens(
            [
                ("grant_type", "authorization_code"), ("code", answer.code.reveal()),
                ("redirect_uri", pending.redirectURI), ("code_verifier", pending.verifier.reveal()),
            ],
            on: .code,
            from: metadata
        )
        return try await grant(tokens, rules(nonce: pending.nonce), metadata)
    }

    var target: [(name: String, value: String)] { settings.target }

    /// Validates a token response for a user.
    func grant(
        _ tokens: TokenAnswer,
        _ rules: IDTokenRules,
        _ metadata: ServerMetadata
    ) async throws(SignInFailure) -> Grant {
        guard let idToken = tokens.idToken else {
            throw SignInFailure(
                .wrongToken,
                "the server returned no ID token, so no user is signed in",
                setting: .scopes
            )
        }
        let user = try await user(idToken, with: tokens.accessToken, rules, metadata)
        let told = try await withUserinfo(user, tokens.accessToken, metadata)
        return tokens.grant(at: rules.now, asking: settings.scopes, user: told)
    }

    private func challenge(of verifier: String) throws(SignInFailure) -> String {
        do throws(Fault) {
            return Base64URL.text(of: try means.secrecy.digest(Array(verifier.utf8)).bytes)
        } catch {
            throw SignInFailure(.unsupported, "this machine cannot compute digests: \(error.reason)")
        }
    }
}

extension ServerSettings {
    /// The parameter for the API, by dialect: RFC 8707 allows only URIs.
    var target: [(name: String, value: String)] {
        guard let audience else { return [] }
        let isURI = URLParts(audience)?.scheme != nil
        return [(dialect == .oidc && isURI ? "resource" : "audience", audience)]
    }

    /// The authorization URL (OpenID Connect Core, section 3.1.2.1; RFC 7636, section 4.3).
    func authorizationURL(
        at endpoint: String,
        redirectURI: String,
        state: String,
        nonce: String,
        challenge: String,
        adding more: [(name: String, value: String)]
    ) -> String {
        let parameters =
            [
                ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI),
                ("scope", scopes.joined(separator: " ")), ("state", state), ("nonce", nonce),
                ("code_challenge", challenge), ("code_challenge_method", "S256"),
            ] + target + more
        return endpoint + (endpoint.contains("?") ? "&" : "?") + FormText.encoded(parameters)
    }
}
