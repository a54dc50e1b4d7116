import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireService

/// The public endpoints of a realm, and those for tokens: discovery, keys, userinfo, introspection, revocation.
struct Facts: Sendable {
    let context: RealmRequest

    /// OpenID Connect Discovery, section 3, in Keycloak's form.
    var discovery: JSONValue {
        func words(_ words: String...) -> JSONValue { .array(words.map(JSONValue.string)) }
        let base = context.endpoints
        return .members([
            "issuer": .string(context.issuer), "authorization_endpoint": .string("\(base)/auth"),
            "token_endpoint": .string("\(base)/token"), "introspection_endpoint": .string("\(base)/token/introspect"),
            "userinfo_endpoint": .string("\(base)/userinfo"), "end_session_endpoint": .string("\(base)/logout"),
            "jwks_uri": .string("\(base)/certs"), "revocation_endpoint": .string("\(base)/revoke"),
            "device_authorization_endpoint": .string("\(base)/auth/device"),
            "grant_types_supported": .array(Tokens.Grant.allCases.map { .string($0.rawValue) }),
            "response_types_supported": words("code"), "response_modes_supported": words("query"),
            "subject_types_supported": words("public"),
            "prompt_values_supported": words("none", "login", "select_account", "consent"),
            "id_token_signing_alg_values_supported": words("RS256"),
            "token_endpoint_auth_methods_supported": words("none", "client_secret_basic", "client_secret_post"),
            "introspection_endpoint_auth_methods_supported": words("client_secret_basic", "client_secret_post"),
            "revocation_endpoint_auth_methods_supported": words("none", "client_secret_basic", "client_secret_post"),
            "code_challenge_methods_supported": words("S256"),
            "scopes_supported": words("openid", "profile", "email", "offline_access", "roles"),
            "claims_supported": words(
                "iss",
                "sub",
                "aud",
                "exp",
                "iat",
                "auth_time",
                "nonce",
                "azp",
                "sid",
                "at_hash",
                "name",
                "given_name",
                "family_name",
                "preferred_username",
                "email",
                "email_verified",
                "realm_access",
                "resource_access"
            ),
            "claim_types_supported": words("normal"), "claims_parameter_supported": .boolean(false),
            "request_parameter_supported": .boolean(false), "request_uri_parameter_supported": .boolean(false),
            "require_request_uri_registration": .boolean(false),
            "authorization_response_iss_parameter_supported": .boolean(true),
        ])
    }

    // MARK: User

    func userinfo(_ request: Request) async throws -> Response {
        guard let token = try bearer(request) else {
            return challenge(.unauthorized, "realm=\"\(context.realm)\"")
        }
        guard let (claims, grant) = try await context.grant(ofAccessToken: token) else {
            return challenge(.unauthorized, "error=\"invalid_token\", error_description=\"Token verification failed\"")
        }
        guard claims.scopes.contains("openid"), let name = grant.user,
            let user = context.settings.users.first(where: { $0.name == name })
        else {
            return challenge(.forbidden, "error=\"insufficient_scope\", error_description=\"Missing openid scope\"")
        }
        let subject = JSONValue.string(try context.subject(user.name))
        return .json(.object([("sub", subject)] + context.claims(of: user, scopes: claims.scopes)))
    }

    /// Returns the token from the field or the form, and refuses both at once (RFC 6750, section 2).
    private func bearer(_ request: Request) throws -> String? {
        var found: [String] = []
        if let field = request.fields["Authorization"] {
            let words = field.split(separator: " ")
            if words.count == 2, words[0].lowercased() == "bearer" { found.append(String(words[1])) }
        }
        if request.method == .post, !request.body.isEmpty, let token = try Parameters.form(request)["access_token"] {
            found.append(token)
        }
        guard found.count <= 1 else { throw OAuthError.invalidRequest("the access token occurs more than once") }
        return found.first
    }

    private func challenge(_ status: Status, _ text: String) -> Response {
        Response(status, fields: ["WWW-Authenticate": "Bearer \(text)", "Cache-Control": "no-store"])
    }

    // MARK: Tokens

    /// RFC 7662, for clients that can authenticate.
    func introspect(_ request: Request) async throws -> Response {
        let form = try Parameters.form(request)
        guard try context.authenticate(request, form).secret != nil else { throw OAuthError.invalidClient() }
        guard let token = form["token"] else { throw OAuthError.invalidRequest("token is missing") }
        if let (claims, grant) = try await context.grant(ofAccessToken: token) {
            let more: [(key: String, value: JSONValue)] = [
                ("active", .boolean(true)), ("token_type", .string("Bearer")),
            ]
            let name = grant.user.map { [(key: "username", value: JSONValue.string($0))] } ?? []
            return .json(.object(more + name + (claims.members ?? [])))
        }
        if let (_, kept, isPresent) = try await context.grant(ofRefreshToken: token), isPresent,
            try await context.flaw(of: kept.record) == nil
        {
            return .json(
                .members([
                    "active": .boolean(true), "client_id": .string(kept.record.client),
                    "username": kept.record.user.map(JSONValue.string), "exp": .integer(Int(kept.ends / 1_000)),
                    "scope": .string(kept.record.scopes.joined(separator: " ")), "iss": .string(context.issuer),
                    "sub": .string(try context.subject(kept.record.user ?? "client/\(kept.record.client)")),
                    "typ": .string("Refresh"),
                ])
            )
        }
        return .json(.members(["active": .boolean(false)]))
    }

    /// RFC 7009; a token of another client counts as revoked already.
    func revoke(_ request: Request) async throws -> Response {
        let form = try Parameters.form(request)
        let client = try context.authenticate(request, form)
        guard let token = form["token"] else { throw OAuthError.invalidRequest("token is missing") }
        if let (id, kept, _) = try await context.grant(ofRefreshToken: token), kept.record.client == client.id {
            try await context.revoke(id)
        } else if let (claims, grant) = try await context.grant(ofAccessToken: token), grant.client == client.id,
            let name = claims["jti"]?.string, let end = claims["exp"]?.integer
        {
            try await context.records.put(RevokedToken(""), name, until: Int64(end) * 1_000)
        }
        return Response(.ok, fields: ["Cache-Control": "no-store"])
    }
}
