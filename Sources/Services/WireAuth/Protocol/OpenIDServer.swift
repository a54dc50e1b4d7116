import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireJOSE
import WireNetworkContract
import WireSecrets
import WireStore

/// An identity server that speaks OpenID Connect, in any of the dialects, as one client of it.
///
/// It keeps what the server publishes and nothing about anybody: grants are the caller's.
struct OpenIDServer: IdentityServer {
    /// What it takes from outside.
    struct Means: Sendable {
        var client: any HTTPClient
        var signatures: any Signatures
        var secrecy: any Secrecy
        var clock: Clockwork
        var cache: any CacheStore
        /// How long after a failed attempt the second is made.
        var retryPause = Duration.milliseconds(500)
    }

    let settings: ServerSettings
    let means: Means
    let line: ServerLine
    private let discovery: ServerDiscovery
    private let keys: ServerKeys
    private let retry: Retry

    init(_ settings: ServerSettings, _ means: Means) {
        self.settings = settings
        self.means = means
        let line = ServerLine(client: means.client)
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

    /// What the server says of itself.
    func metadata() async throws(SignInFailure) -> ServerMetadata {
        var metadata = try await discovery.metadata()
        guard settings.dialect == .auth0 else { return metadata }
        // Tenants that have not switched on the newer ones say nothing of these.
        let (base, client) = (settings.issuer, FormText.encoded(settings.clientID))
        if metadata.revocationEndpoint == nil { metadata.revocationEndpoint = "\(base)oauth/revoke" }
        if metadata.endSessionEndpoint == nil { metadata.endSessionEndpoint = "\(base)v2/logout?client_id=\(client)" }
        return metadata
    }

    // MARK: Asking for tokens

    /// Milliseconds since 1970.
    var now: Int64 { means.clock.wall() }

    /// Asks the token endpoint; what is wrong with the answer repeats nothing of the form.
    ///
    /// Once more where the first request was not taken, but for questions that are asked again in any case.
    func tokens(
        _ form: [(name: String, value: String)],
        on occasion: ServerRefusal.Occasion,
        from metadata: ServerMetadata
    ) async throws(SignInFailure) -> TokenAnswer {
        try await retry.ask(where: { $0.mayPassUntaken && ![.refresh, .device].contains(occasion) }) {
            () async throws(SignInFailure) in
            let answer = try await post(form, to: metadata.tokenEndpoint, metadata)
            guard answer.isSuccess else {
                throw SignInFailure(answer, on: occasion, hiding: secrets(of: form))
            }
            return try TokenAnswer(try answer.object(), isRenewal: occasion == .refresh)
        }
    }

    /// Whether what a sign-in ends with can be done, found out before a person begins it: the client can show who it is, and
    /// the keys are at hand that the answer is checked by.
    func prepare(_ metadata: ServerMetadata) async throws(SignInFailure) {
        _ = try ClientAuthentication(settings.clientSecret, metadata.clientAuthentication)
        try await keys.prepare()
    }

    /// Posts a form as the client.
    func post(
        _ form: [(name: String, value: String)],
        to url: String,
        _ metadata: ServerMetadata
    ) async throws(SignInFailure) -> ServerAnswer {
        let authentication = try ClientAuthentication(settings.clientSecret, metadata.clientAuthentication)
        return try await line.post(
            form + authentication.fields(of: settings.clientID),
            to: url,
            credentials: authentication.credentials(of: settings.clientID)
        )
    }

    /// What of a form nobody may read in a message.
    func secrets(of form: [(name: String, value: String)]) -> [Secret<String>] {
        let harmless: Set = ["grant_type", "scope", "client_id", "redirect_uri", "username", "token_type_hint"]
        let values = form.filter { !harmless.contains($0.name) }.map { Secret($0.value) }
        guard let secret = settings.clientSecret else { return values }
        // As it is, and as Basic writes it.
        let credentials = ClientAuthentication.basic(secret).credentials(of: settings.clientID)
        return values + [secret] + (credentials.map { [Secret(String($0.reveal().dropFirst("Basic ".count)))] } ?? [])
    }

    // MARK: Believing them

    /// An ID token, its signature and every claim checked.
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
            throw SignInFailure(.wrongToken, "the ID token is signed by an algorithm the server does not announce")
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
                throw SignInFailure(.wrongToken, "the ID token cannot be believed: it came with another access token")
            }
        }
        return await roles(of: user, in: accessToken)
    }

    func verified(_ token: SignedToken) async throws(SignInFailure) -> VerifiedToken { try await keys.verified(token) }

    /// The rules for what answers a sign-in now.
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
        // Only the authorization request carries parameters of the file.
        guard nonce != nil else { return rules }
        rules.maxAge = parameter("max_age").flatMap(Int64.init)
        rules.authenticationClasses = parameter("acr_values")?.split(separator: " ").map(String.init) ?? []
        if settings.dialect == .auth0 { rules.organization = parameter("organization") }
        return rules
    }

    /// The user with the roles that Keycloak puts into access tokens, unless told to put them into ID tokens, too.
    ///
    /// Only those two claims, and only of a token that this server has signed for this user: to everybody else access tokens
    /// are texts that mean nothing.
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

    // MARK: Making secrets

    /// 32 bytes nobody can foresee, as text for a URL.
    func unforeseeable() throws(SignInFailure) -> String {
        do throws(Fault) {
            return Base64URL.text(of: try means.secrecy.random(32))
        } catch {
            throw SignInFailure(.unsupported, "this machine has no randomness: \(error.reason)")
        }
    }
}

extension JSONValue {
    /// The object with members of another, which replace those of the same name.
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
