import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireService

/// The token endpoints of HALO: `POST /api/oauth/token?_app` for the app, `?_user` for a user with name and password.
///
/// The request names no realm and, for users, no client: an app is found by its id in any realm; a user signs in at
/// the first realm with a client that permits passwords. Durations are in milliseconds.
struct HaloTokens: Sendable {
    /// The context of the common realm.
    let context: RealmRequest

    func answer(_ request: Request) async -> Response {
        do {
            let names = Set(request.target.query.map(\.name))
            let form = try Parameters.form(request)
            let isApp = names.contains("_app")
            guard isApp != names.contains("_user") else {
                throw OAuthError.invalidRequest("expected '_app' or '_user' in the query")
            }
            return .tokens(try await isApp ? app(request, form) : user(request, form))
        } catch {
            return Self.failure(error as? OAuthError ?? .unavailable)
        }
    }

    private func app(_ request: Request, _ form: Parameters) async throws -> JSONValue {
        let found = context.registry.client(form["client_id"] ?? "", in: context.environment)
        let context = self.context.moved(to: found?.realm ?? RealmRegistry.common)
        let client = try context.authenticate(request, form)
        guard client.secret != nil else { throw OAuthError.invalidClient() }
        switch form["grant_type"] {
        case "client_credentials":
            guard
                let (id, grant) = try await context.grant(
                    client,
                    user: nil,
                    scopes: try form.scopes(),
                    session: nil,
                    authTime: context.machine.seconds
                )
            else { throw OAuthError.unavailable }
            return try await Self.inMilliseconds(
                context.tokens(RealmRequest.Answer(grant: grant, id: id, scopes: grant.scopes))
            )
        case "refresh_token": return Self.inMilliseconds(try await Tokens(context: context).refresh(form, client))
        default: throw OAuthError("unsupported_grant_type", "expected 'client_credentials' or 'refresh_token'")
        }
    }

    private func user(_ request: Request, _ form: Parameters) async throws -> JSONValue {
        guard let realm = context.registry.realms(in: context.environment).first(where: \.takesPasswords)?.name else {
            throw OAuthError("unauthorized_client", "no client permits the password grant")
        }
        guard form["grant_type"] == "password" else {
            throw OAuthError("unsupported_grant_type", "expected 'password'")
        }
        guard let name = form["username"] else { throw OAuthError.invalidRequest("username is missing") }
        let context = self.context.moved(to: realm)
        let user = try context.user(name, form["password"] ?? "")
        let answer = RealmRequest.Answer(
            grant: GrantRecord(
                realm: realm,
                client: "halo",
                user: user.name,
                scopes: ["profile"],
                session: nil,
                authTime: context.machine.seconds,
                secret: try context.machine.secret()
            ),
            id: try context.machine.secret(16),
            scopes: ["profile"],
            hasRefreshToken: false
        )
        // The token is never renewed, so the grant is stored for the token's lifetime.
        let ends = context.machine.now + Int64(context.settings.accessLifetime) * 1_000
        try await context.records.put(answer.grant, answer.id, until: ends)
        return Self.inMilliseconds(try await context.tokens(answer))
    }

    static func inMilliseconds(_ tokens: JSONValue) -> JSONValue {
        .members([
            "access_token": tokens["access_token"], "refresh_token": tokens["refresh_token"],
            "token_type": tokens["token_type"],
            "expires_in": tokens["expires_in"]?.integer.map { .integer($0 * 1_000) }, "scope": tokens["scope"],
        ])
    }

    static func failure(_ error: OAuthError) -> Response {
        var refusal = HaloError(error.status, error.description, extra: [("code", .string(error.code))])
        refusal.fields = error.fields
        return refusal.response
    }
}
