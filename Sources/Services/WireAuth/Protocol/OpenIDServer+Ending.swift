import WireAuthContract
import WireBase
import WireConfig
import WireHTTP

extension OpenIDServer {
    /// Revokes the refresh token first.
    ///
    /// At most servers that ends the whole session, so its result decides.
    func revoke(_ grant: Grant) async throws(SignInFailure) -> Revocation {
        let metadata = try await metadata()
        guard let endpoint = metadata.revocationEndpoint else { return .notOffered }
        var failure: SignInFailure?
        var revocation: Revocation?
        let tokens = [("refresh_token", grant.refreshToken), ("access_token", grant.accessToken)]
        for (hint, token) in tokens {
            guard let token else { continue }
            // The access token is revoked even if the refresh token failed.
            do throws(SignInFailure) {
                let isTaken = try await revoke(token, hint, at: endpoint, metadata)
                revocation = revocation ?? (isTaken ? .revoked : .notOffered)
            } catch {
                if failure == nil { failure = error }
            }
        }
        if let failure { throw failure }
        return revocation ?? .notOffered
    }

    /// Whether the token was revoked; false where the server does not revoke its kind.
    private func revoke(
        _ token: Secret<String>,
        _ hint: String,
        at endpoint: String,
        _ metadata: ServerMetadata
    ) async throws(SignInFailure) -> Bool {
        let form = [("token", token.reveal()), ("token_type_hint", hint)]
        let answer = try await post(form, to: endpoint, metadata)
        if answer.isSuccess { return true }
        if [404, 405, 501].contains(answer.status.code) { return false }
        let failure = SignInFailure(answer, on: .other, hiding: secrets(of: form))
        switch failure.kind {
        case .unsupportedTokenType: return false
        // The token is invalid already.
        case .invalidToken, .invalidGrant: return true
        // Auth0 revokes only refresh tokens, and answers other ones so.
        case .invalidRequest where hint == "access_token": return false
        default: throw failure
        }
    }

    func endOfSession(_ grant: Grant, state: String) async throws(SignInFailure) -> String? {
        let metadata = try await metadata()
        guard let endpoint = metadata.endSessionEndpoint else { return nil }
        // Auth0's own endpoint has other parameters, and its URL contains the client.
        let isOwn = settings.dialect == .auth0 && endpoint.contains("/v2/logout")
        var parameters: [(name: String, value: String)] = []
        if isOwn {
            if let address = settings.postLogoutRedirectURI { parameters.append(("returnTo", address)) }
        } else {
            if let token = grant.idToken { parameters.append(("id_token_hint", token.reveal())) }
            parameters.append(("client_id", settings.clientID))
            if let address = settings.postLogoutRedirectURI {
                parameters += [("post_logout_redirect_uri", address), ("state", state)]
            }
        }
        guard !parameters.isEmpty else { return endpoint }
        return endpoint + (endpoint.contains("?") ? "&" : "?") + FormText.encoded(parameters)
    }
}
