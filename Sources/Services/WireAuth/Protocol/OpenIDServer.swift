import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireJOSE
import WireNetworkContract
import WireSecrets
import WireStore

/// A client of an OpenID Connect server, in any dialect.
///
/// It caches the server's documents and no grants: those are the caller's.
struct OpenIDServer: IdentityServer {
    /// The abilities that the server's client is given.
    struct Dependencies: Sendable {
        var client: any HTTPClient
        var signatures: any Signatures
        var secrecy: any CryptoProvider
        var clock: TimeSource
        var cache: any CacheStore
        /// The pause before the second attempt.
        var retryPause = Duration.milliseconds(500)
    }

    let settings: ServerSettings
    let means: Dependencies
    let line: OAuthTransport
    private let discovery: ServerDiscovery
    private let keys: ServerKeys
    private let retry: Retry

    init(_ settings: ServerSettings, _ means: Dependencies) {
        self.settings = settings
        self.means = means
        let line = OAuthTransport(client: means.client)
        let retry = Retry(clock: means.clock, pause: means.retryPause)
        let discovery = ServerDiscovery(settings, line: line, retry, cache: means.cache)
        self.retry = retry
        self.line = line
        self.discovery = discovery
        keys = ServerKeys(
            settings,
            line: line,
            retry,
            cache: means.cache,
            signatures: means.signatures,
            address: { () async throws(SignInFailure) in try await discovery.metadata().keysURL }
        )
    }

    /// The server's metadata.
    func metadata() async throws(SignInFailure) -> ServerMetadata {
        var metadata = try await discovery.metadata()
        guard settings.dialect == .auth0 else { return metadata }
        // Tenants with older settings do not announce these endpoints.
        let (base, client) = (settings.issuer, FormText.encoded(settings.clientID))
        if metadata.revocationEndpoint == nil { metadata.revocationEndpoint = "\(base)oauth/revoke" }
        if metadata.endSessionEndpoint == nil { metadata.endSessionEndpoint = "\(base)v2/logout?client_id=\(client)" }
        return metadata
    }

    // MARK: Token requests

    /// Milliseconds since 1970.
    var now: Int64 { means.clock.wall() }

    /// Sends a token request; failures repeat nothing of the form.
    ///
    /// Retries once if the first request was not processed, except for requests that are polled anyway.
    func tokens(
        _ form: [(name: String, value: String)],
        on occasion: ServerRefusal.Occasion,
        from metadata: ServerMetadata
    ) async throws(SignInFailure) -> TokenAnswer {
        try await retry.ask(where: { $0.isSafeToRetry && ![.refresh, .device].contains(occasion) }) {
            () async throws(SignInFailure) in
            let answer = try await post(form, to: metadata.tokenEndpoint, metadata)
            guard answer.isSuccess else {
                throw SignInFailure(answer, on: occasion, hiding: secrets(of: form))
            }
            return try TokenAnswer(try answer.object(), isRenewal: occasion == .refresh)
        }
    }

    /// Checks before a sign-in that it can be finished.
    ///
    /// The client can authenticate, and the keys for the ID token are present.
    func prepare(_ metadata: ServerMetadata) async throws(SignInFailure) {
        _ = try ClientAuthentication(settings.clientSecret, metadata.clientAuthentication)
        try await keys.prepare()
    }

    /// Posts a form with the client's authentication.
    func post(
        _ form: [(name: String, value: String)],
        to url: String,
        _ metadata: ServerMetadata
    ) async throws(SignInFailure) -> IdentityResponse {
        let authentication = try ClientAuthentication(settings.clientSecret, metadata.clientAuthentication)
        return try await line.post(
            form + authentication.fields(of: settings.clientID),
            to: url,
            credentials: authentication.credentials(of: settings.clientID)
        )
    }

    /// The fields of a form that must not appear in a message.
    func secrets(of form: [(name: String, value: String)]) -> [Secret<String>] {
        let harmless: Set = ["grant_type", "scope", "client_id", "redirect_uri", "username", "token_type_hint"]
        let values = form.filter { !harmless.contains($0.name) }.map { Secret($0.value) }
        guard let secret = settings.clientSecret else { return values }
        // In plain form and as in Basic.
        let credentials = ClientAuthentication.basic(secret).credentials(of: settings.clientID)
        return values + [secret] + (credentials.map { [Secret(String($0.reveal().dropFirst("Basic ".count)))] } ?? [])
    }

    // MARK: Validation

    /// Verifies the signature and every claim of an ID token.
    func user(
        _ idToken: Secret<String>,
        with accessToken: Secret<String>,
        _ rules: IDTokenRules,
        _ metadata: ServerMetadata
    ) async throws(SignInFailure) -> GrantedUser {
        let signed = try await SignInFailure.rethrowing(
            try SignedToken(parsing: idToken.reveal(), upTo: ServerKeys.tokenLimit)
        )
        guard metadata.idTokenAlgorithms.contains(signed.header.algorithm) else {
            throw SignInFailure(
                .wrongToken,
                "the ID token is signed with an algorithm that the server does not announce"
            )
        }
        let token = try await verified(signed)
        let user = try rules.user(token)
        if let given = token.claims["at_hash"] {
            let expected: String
            do throws(Fault) {
                expected = try token.header.algorithm.leftHalfHash(of: accessToken.reveal(), with: means.signatures)
            } catch {
                throw SignInFailure(.unsupported, "this machine cannot check signatures: \(error.reason)")
            }
            guard let given = given.string, isEqual(Array(given.utf8), Array(expected.utf8)) else {
                throw SignInFailure(.wrongToken, "the ID token is invalid: it belongs to another access token")
            }
        }
        return await roles(of: user, in: accessToken)
    }

    func verified(_ token: SignedToken) async throws(SignInFailure) -> VerifiedToken { try await keys.verified(token) }

    /// The rules for an ID token that is received now.
    func rules(nonce: String? = nil, former: GrantedUser? = nil) -> IDTokenRules {
        func parameter(_ name: String) -> String? { settings.parameters.first { $0.name == name }?.value }
        var rules = IDTokenRules(
            issuer: settings.issuer,
            clientID: settings.clientID,
            audience: settings.audience,
            audiences: settings.audiences,
            nonce: nonce,
            former: former,
            leeway: settings.leeway.inMicroseconds / 1_000,
            now: now
        )
        // Only authorization requests carry the file's parameters.
        guard nonce != nil else { return rules }
        rules.maxAge = parameter("max_age").flatMap(Int64.init)
        rules.authenticationClasses = parameter("acr_values")?.split(separator: " ").map(String.init) ?? []
        if settings.dialect == .auth0 { rules.organization = parameter("organization") }
        return rules
    }

    /// The user with Keycloak's roles from the access token.
    ///
    /// Only the two role claims are read, and only if this server signed the token for this user: to clients, access
    /// tokens are otherwise opaque.
    private func roles(of user: GrantedUser, in accessToken: Secret<String>) async -> GrantedUser {
        let names = ["realm_access", "resource_access"]
        guard settings.dialect == .keycloak, names.contains(where: { user.claims[$0] == nil }),
            let signed = try? SignedToken(parsing: accessToken.reveal(), upTo: ServerKeys.tokenLimit),
            let token = try? await verified(signed),
            token.claims["iss"]?.string?.isExactly(user.issuer) ?? false,
            token.claims["sub"]?.string?.isExactly(user.subject) ?? false
        else { return user }
        var user = user
        for name in names where user.claims[name] == nil {
            if let roles = token.claims[name] { user.claims = user.claims.merging([(name, roles)]) }
        }
        return user
    }

    // MARK: Secrets

    /// 32 random bytes as text for a URL.
    func unforeseeable() throws(SignInFailure) -> String {
        do throws(Fault) {
            return Base64URL.text(of: try means.secrecy.random(32))
        } catch {
            throw SignInFailure(.unsupported, "no random numbers are available: \(error.reason)")
        }
    }
}

extension JSONValue {
    /// The object with the members of another, which replace those of the same name.
    func merging(_ others: [(key: String, value: JSONValue)]) -> JSONValue {
        var members = members ?? []
        for other in others {
            if let index = members.firstIndex(where: { $0.key == other.key }) {
                members[index].value = other.value
            } else {
                members.append(other)
            }
        }
        return .object(members)
    }
}
