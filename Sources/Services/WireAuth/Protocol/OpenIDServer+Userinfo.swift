import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireJOSE
import WireNetworkContract

extension OpenIDServer {
    /// Adds the claims of the userinfo endpoint (OpenID Connect Core, section 5.3), if there is one.
    ///
    /// An answer about another user fails the sign-in. A missing answer does not: the ID token identifies the user.
    func withUserinfo(
        _ user: GrantedUser,
        _ accessToken: Secret<String>,
        _ metadata: ServerMetadata
    ) async throws(SignInFailure) -> GrantedUser {
        guard let endpoint = metadata.userinfoEndpoint else { return user }
        let claims: JSONValue
        do throws(SignInFailure) {
            let answer = try await line.get(endpoint, showing: accessToken)
            guard answer.isSuccess else { return user }
            claims = try await self.claims(in: answer, metadata)
        } catch {
            guard error.kind == .wrongToken || error.kind == .wrongIssuer || error.kind == .abandoned else {
                return user
            }
            throw error
        }
        guard let subject = claims["sub"]?.string, subject.isExactly(user.subject) else {
            throw SignInFailure(.wrongToken, "the userinfo response is about another user than the ID token")
        }
        var user = user
        user.claims = user.claims.merging((claims.members ?? []).filter { !Self.protocolClaims.contains($0.key) })
        return user
    }

    /// The claims about a token, which only the ID token may set.
    private static var protocolClaims: Set<String> {
        [
            "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "nonce", "auth_time", "acr", "amr", "azp", "at_hash",
            "c_hash", "sid", "typ",
        ]
    }

    private func claims(in answer: IdentityResponse, _ metadata: ServerMetadata) async throws(SignInFailure)
        -> JSONValue
    {
        guard answer.mediaType?.essence == "application/jwt" else { return try answer.object() }
        let signed = try await SignInFailure.rethrowing(
            try SignedToken(parsing: answer.bytes, upTo: ServerKeys.tokenLimit)
        )
        let claims = try await verified(signed).claims
        // A signed response must name its issuer and audience (section 5.3.2).
        guard claims["iss"]?.string?.isExactly(settings.issuer) ?? false,
            claims["aud"]?.audiences?.contains(where: { $0.isExactly(settings.clientID) }) ?? false
        else {
            throw SignInFailure(.wrongToken, "the userinfo response is signed by another server, or for another client")
        }
        return claims
    }
}
