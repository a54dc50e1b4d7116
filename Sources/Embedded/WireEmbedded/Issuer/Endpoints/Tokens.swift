import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// The token endpoint (RFC 6749, section 3.2).
struct Tokens: Sendable {
    let context: RealmRequest

    enum Grant: String, CaseIterable {
        case code = "authorization_code"
        case refresh = "refresh_token"
        case device = "urn:ietf:params:oauth:grant-type:device_code"
        case client = "client_credentials"
        case password
    }

    func answer(_ request: Request) async throws -> Response {
        let form = try Parameters.form(request)
        let client = try context.authenticate(request, form)
        guard let name = form["grant_type"] else { throw OAuthError.invalidRequest("grant_type is missing") }
        guard let grant = Grant(rawValue: name) else {
            throw OAuthError("unsupported_grant_type", "grant_type \(name.shownSafely) is not supported")
        }
        let json =
            switch grant {
            case .code: try await redeem(form, client)
            case .refresh: try await refresh(form, client)
            case .device: try await DeviceGrant(context: context).redeem(form, client)
            case .client: try await credentials(form, client)
            case .password: try await password(form, client)
            }
        return .tokens(json)
    }

    // MARK: Codes

    private func redeem(_ form: Parameters, _ client: EmbeddedClient) async throws -> JSONValue {
        guard let text = form["code"] else { throw OAuthError.invalidRequest("code is missing") }
        let id = try context.machine.digest(text)
        guard var kept = try await context.records.find(id, CodeRecord.self), kept.record.realm == context.realm else {
            throw OAuthError.invalidGrant("Code not valid")
        }
        let code = kept.record
        guard !code.isUsed else { throw try await reused(code) }
        // A code presented by the wrong client becomes invalid for the right one too.
        guard code.client == client.id else {
            try await spend(&kept, id)
            throw OAuthError.invalidGrant("Code was not issued to this client")
        }
        guard code.expires > context.machine.now else { throw OAuthError.invalidGrant("Code not valid") }
        guard form["redirect_uri"] == code.redirectURI else {
            try await spend(&kept, id)
            throw OAuthError.invalidGrant("Incorrect redirect_uri")
        }
        guard let verifier = form["code_verifier"] else {
            throw OAuthError.invalidGrant("PKCE code verifier not specified")
        }
        guard verifier.isVerifier,
            Base64URL.text(of: try context.machine.secrecy.digest(Array(verifier.utf8)).bytes) == code.challenge
        else {
            try await spend(&kept, id)
            throw OAuthError.invalidGrant("PKCE verification failed: Code mismatch")
        }
        guard try await spend(&kept, id) else { throw try await reused(code) }
        guard
            let (grantID, grant) = try await context.grant(
                client,
                user: code.user,
                scopes: code.scopes,
                session: code.session,
                authTime: code.authTime,
                id: code.grant
            )
        else { throw OAuthError.invalidGrant("Code not valid") }
        if let flaw = try await context.flaw(of: grant) { throw OAuthError.invalidGrant(flaw) }
        return try await context.tokens(
            RealmRequest.Answer(grant: grant, id: grantID, scopes: code.scopes, nonce: code.nonce)
        )
    }

    /// Marks a code as used; returns whether this caller did so.
    @discardableResult
    private func spend(_ kept: inout IssuerRecords.Kept<CodeRecord>, _ id: String) async throws -> Bool {
        kept.record.isUsed = true
        return try await context.records.put(kept.record, id, until: kept.ends, if: .version(kept.version))
    }

    /// Revokes the tokens of a code that was used twice, since one of the two users has stolen it (RFC 6749, section
    /// 4.1.2).
    private func reused(_ code: CodeRecord) async throws -> OAuthError {
        try await context.revoke(code.grant)
        context.log.warning(
            "an authorization code was used twice; its tokens were revoked",
            ["client": .text(code.client)]
        )
        return .invalidGrant("Code not valid")
    }

    // MARK: Refreshing

    func refresh(_ form: Parameters, _ client: EmbeddedClient) async throws -> JSONValue {
        guard let text = form["refresh_token"] else { throw OAuthError.invalidRequest("refresh_token is missing") }
        guard let (id, kept, isPresent) = try await context.grant(ofRefreshToken: text), kept.record.client == client.id
        else {
            throw OAuthError.invalidGrant("Invalid refresh token")
        }
        var grant = kept.record
        if let flaw = try await context.flaw(of: grant) { throw OAuthError.invalidGrant(flaw) }
        guard isPresent else { throw try await reused(id, grant) }
        let scopes = form["scope"].map { _ in form.words("scope") } ?? grant.scopes
        guard Set(scopes).isSubset(of: grant.scopes) else {
            throw OAuthError("invalid_scope", "scope exceeds the granted scope")
        }
        if context.settings.rotatesRefreshTokens { grant.number += 1 }
        // Of two simultaneous uses of one token, one may be a thief's.
        guard try await context.records.put(grant, id, until: context.refreshEnd, if: .version(kept.version)) else {
            if context.settings.rotatesRefreshTokens { throw try await reused(id, grant) }
            return try await context.tokens(RealmRequest.Answer(grant: grant, id: id, scopes: scopes))
        }
        return try await context.tokens(RealmRequest.Answer(grant: grant, id: id, scopes: scopes))
    }

    private func reused(_ id: String, _ grant: GrantRecord) async throws -> OAuthError {
        try await context.revoke(id)
        context.log.warning("a refresh token was used twice; its tokens were revoked", ["client": .text(grant.client)])
        return .invalidGrant("Maximum allowed refresh token reuse exceeded")
    }

    // MARK: Without a browser

    private func credentials(_ form: Parameters, _ client: EmbeddedClient) async throws -> JSONValue {
        guard client.secret != nil else {
            throw OAuthError("unauthorized_client", "Client not enabled to retrieve service account")
        }
        let scopes = try form.scopes().filter { $0 != "openid" && $0 != "offline_access" }
        return try await context.tokens(
            RealmRequest.Answer(
                grant: context.appGrant(client.id, scopes: scopes),
                id: RealmRequest.appGrant,
                scopes: scopes,
                hasRefreshToken: false
            )
        )
    }

    private func password(_ form: Parameters, _ client: EmbeddedClient) async throws -> JSONValue {
        guard client.allowsPasswords else {
            throw OAuthError("unauthorized_client", "Client not allowed for direct access grants")
        }
        guard let name = form["username"] else { throw OAuthError.invalidRequest("username is missing") }
        let user = try context.user(name, form["password"] ?? "")
        let scopes = try form.scopes()
        let session = try await context.beginSession(user)
        guard
            let (id, grant) = try await context.grant(
                client,
                user: user.name,
                scopes: scopes,
                session: session.id,
                authTime: session.record.authTime
            )
        else { throw OAuthError.unavailable }
        return try await context.tokens(RealmRequest.Answer(grant: grant, id: id, scopes: scopes))
    }
}

extension RealmRequest {
    /// Returns the user with a name and a password for programs; errors are in Keycloak's words.
    func user(_ name: String, _ password: String) throws -> IssuerSettings.User {
        switch try admit(name, password) {
        case .user(let user): return user
        case .blocked: throw OAuthError.invalidGrant("Account disabled")
        case .wrong: throw OAuthError("invalid_grant", "Invalid user credentials", status: .unauthorized)
        case .wait(let seconds): throw OAuthError.tooMany(seconds)
        }
    }
}

extension Parameters {
    /// Reads the form of a program's request.
    static func form(_ request: Request) throws -> Parameters {
        try OAuthError.rethrowing(try Parameters(form: request))
    }

    func scopes() throws -> [String] {
        var scopes: [String] = []
        for scope in words("scope") where !scopes.contains(scope) {
            guard scope.isScope, scopes.count < 50 else { throw OAuthError("invalid_scope", "scope is malformed") }
            scopes.append(scope)
        }
        return scopes
    }
}

extension String {
    /// Whether the text is a valid code verifier (RFC 7636, section 4.1).
    fileprivate var isVerifier: Bool {
        (43...128).contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: true
                default: false
                }
            }
    }
}

extension Response {
    /// A response with tokens, which no cache may store.
    static func tokens(_ json: JSONValue) -> Response {
        var response = Response.json(json)
        response.fields.add("Pragma", "no-cache")
        return response
    }
}
