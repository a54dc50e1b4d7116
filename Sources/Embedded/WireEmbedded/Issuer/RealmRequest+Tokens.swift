import WireBackendContract
import WireConfig
import WireHTTP
import WireJOSE
import WireSecrets
import WireService
import WireStore

/// Issuing and verifying tokens.
extension RealmRequest {
    /// The contents of a token response.
    struct Answer: Sendable {
        var grant: GrantRecord
        let id: String
        var scopes: [String]
        var nonce: String?
        var hasRefreshToken = true
    }

    // MARK: Granting

    /// Creates a durable grant; returns nil where its name was revoked before.
    func grant(
        _ client: EmbeddedClient,
        user: String?,
        scopes: [String],
        session: String?,
        authTime: Int,
        id: String? = nil
    ) async throws -> (id: String, record: GrantRecord)? {
        let record = GrantRecord(
            realm: realm,
            client: client.id,
            user: user,
            scopes: scopes,
            session: session,
            authTime: authTime,
            secret: try machine.secret()
        )
        let id = try id ?? machine.secret(16)
        guard try await records.put(record, id, until: refreshEnd, if: .absent) else { return nil }
        return (id, record)
    }

    /// The grant name of client credentials, which are not stored: they end with their one token.
    static let appGrant = "app"

    func appGrant(_ client: String, scopes: [String]) -> GrantRecord {
        GrantRecord(realm: realm, client: client, user: nil, scopes: scopes, session: nil, authTime: 0, secret: "")
    }

    var refreshEnd: Int64 { machine.now + Int64(settings.refreshLifetime) * 1_000 }

    /// Revokes a grant with all its tokens, or prevents its creation.
    func revoke(_ id: String) async throws {
        try await records.edit(id, newUntil: machine.now + 3_600_000) { (grant: inout GrantRecord?) in
            var revoked =
                grant
                ?? GrantRecord(
                    realm: realm,
                    client: "",
                    user: nil,
                    scopes: [],
                    session: nil,
                    authTime: 0,
                    secret: ""
                )
            revoked.isRevoked = true
            grant = revoked
        }
    }

    /// Returns the reason for which a grant is invalid, or nil.
    func flaw(of grant: GrantRecord) async throws -> String? {
        if grant.isRevoked { return "Token is not active" }
        guard let name = grant.user else { return nil }
        guard let user = settings.users.first(where: { $0.name == name }) else { return "User not found" }
        if user.isBlocked { return "User disabled" }
        if !grant.isOffline, let session = grant.session {
            guard try await records.find(session, SessionRecord.self) != nil else { return "Session not active" }
        }
        return nil
    }

    // MARK: Refresh tokens

    /// Returns the refresh token of a family with a number; making one requires the secret of the family.
    func refreshToken(_ id: String, _ grant: GrantRecord, number: Int) throws -> String {
        "\(id).\(number).\(try machine.digest(machine.digest("\(grant.secret).\(number)")))"
    }

    /// Returns the grant of a refresh token, and whether the token is the current or an earlier one.
    func grant(ofRefreshToken text: String) async throws
        -> (id: String, kept: IssuerRecords.Kept<GrantRecord>, isPresent: Bool)?
    {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= 512, parts.count == 3, !parts[0].isEmpty, let number = Int(parts[1]), number > 0,
            "\(number)" == parts[1], let kept = try await records.find(parts[0], GrantRecord.self),
            kept.record.realm == realm, !kept.record.secret.isEmpty,
            try machine.isSame(text, refreshToken(parts[0], kept.record, number: number)),
            number <= kept.record.number
        else { return nil }
        return (parts[0], kept, number == kept.record.number)
    }

    // MARK: Responses

    /// Returns the response of the token endpoint (RFC 6749, section 5.1) with Keycloak's additions.
    func tokens(_ answer: Answer) async throws -> JSONValue {
        let access = try await accessToken(answer)
        let isOpenID = answer.grant.user != nil && answer.scopes.contains("openid")
        let refresh =
            answer.hasRefreshToken ? try refreshToken(answer.id, answer.grant, number: answer.grant.number) : nil
        return .members([
            "access_token": .string(access), "expires_in": .integer(settings.accessLifetime),
            "refresh_expires_in": .integer(refresh == nil ? 0 : settings.refreshLifetime),
            "refresh_token": refresh.map(JSONValue.string), "token_type": .string("Bearer"),
            "id_token": isOpenID ? .string(try await idToken(answer, access: access)) : nil,
            "not-before-policy": .integer(0), "session_state": answer.grant.session.map(JSONValue.string),
            "scope": .string(answer.scopes.joined(separator: " ")),
        ])
    }

    func accessToken(_ answer: Answer) async throws -> String {
        let (grant, now) = (answer.grant, machine.seconds)
        var claims: [(key: String, value: JSONValue)] = [
            ("exp", .integer(now + settings.accessLifetime)), ("iat", .integer(now)),
            ("jti", .string("\(answer.id).\(try machine.secret(9))")), ("iss", .string(issuer)),
            ("aud", .string(grant.client)), ("sub", .string(try subject(grant.user ?? "client/\(grant.client)"))),
            ("typ", .string("Bearer")), ("azp", .string(grant.client)), ("client_id", .string(grant.client)),
            ("scope", .string(answer.scopes.joined(separator: " "))),
        ]
        if let session = grant.session { claims.append(("sid", .string(session))) }
        if let user = user(of: grant) {
            claims.append(("auth_time", .integer(grant.authTime)))
            claims += self.claims(of: user, scopes: answer.scopes)
        }
        return try await sign(.object(claims), type: "at+jwt")
    }

    private func idToken(_ answer: Answer, access: String) async throws -> String {
        let (grant, now) = (answer.grant, machine.seconds)
        var claims: [(key: String, value: JSONValue)] = [
            ("exp", .integer(now + settings.accessLifetime)), ("iat", .integer(now)),
            ("auth_time", .integer(grant.authTime)), ("jti", .string(try machine.secret(16))),
            ("iss", .string(issuer)), ("aud", .string(grant.client)),
            ("sub", .string(try subject(grant.user ?? ""))), ("typ", .string("ID")), ("azp", .string(grant.client)),
        ]
        if let nonce = answer.nonce { claims.append(("nonce", .string(nonce))) }
        if let session = grant.session { claims.append(("sid", .string(session))) }
        let hash = try SignatureAlgorithm.rs256.leftHalfHash(of: access, with: machine.signatures)
        claims.append(("at_hash", .string(hash)))
        if let user = user(of: grant) { claims += self.claims(of: user, scopes: answer.scopes) }
        return try await sign(.object(claims), type: "JWT")
    }

    private func user(of grant: GrantRecord) -> IssuerSettings.User? {
        grant.user.flatMap { name in settings.users.first { $0.name == name } }
    }

    /// Returns the permanent id of a user or client: a UUID derived from realm and name.
    func subject(_ name: String) throws -> String {
        let digits = Array(try machine.digest("\(realm)\n\(name)").prefix(32))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Returns the claims about a user that the scopes permit.
    func claims(of user: IssuerSettings.User, scopes: [String]) -> [(key: String, value: JSONValue)] {
        var claims: [(key: String, value: JSONValue)] = []
        if scopes.contains("profile") {
            let (given, family) = user.nameParts
            claims.append(("name", .string(user.displayName)))
            claims.append(("preferred_username", .string(user.name)))
            if !given.isEmpty { claims.append(("given_name", .string(given))) }
            if !family.isEmpty { claims.append(("family_name", .string(family))) }
        }
        if scopes.contains("email"), let email = user.email {
            claims.append(("email", .string(email)))
            claims.append(("email_verified", .boolean(user.isEmailVerified)))
        }
        claims.append(("realm_access", .members(["roles": .array(user.roles.map(JSONValue.string))])))
        claims.append(("resource_access", .object([])))
        // A claim of the file overrides those of scopes; the file cannot set claims reserved for the server.
        let own = Set(user.claims.map(\.key))
        return claims.filter { !own.contains($0.key) } + user.claims
    }

    // MARK: Signatures

    private func sign(_ claims: JSONValue, type: String) async throws -> String {
        guard let member = try await keys.ring(records).present else { throw OAuthError.unavailable }
        return try SignedToken.signed(claims, type: type, by: member.key, id: member.id, with: machine.signatures)
    }

    /// Returns the claims of a token signed by this realm; nil for any other token.
    ///
    /// The caller must check whether the token has expired.
    func claims(ofToken text: String, type: String) async throws -> JSONValue? {
        guard let token = try? SignedToken(parsing: text), token.header.type == type.lowercased(),
            let keys = try await keys.known(records)?.published,
            let claims = try? token.verified(by: keys, with: machine.signatures).claims,
            claims["iss"]?.string == issuer
        else { return nil }
        return claims
    }

    /// Returns a valid access token's claims, with its grant.
    func grant(ofAccessToken text: String) async throws -> (claims: JSONValue, grant: GrantRecord)? {
        guard let claims = try await claims(ofToken: text, type: "at+jwt"), let end = claims["exp"]?.integer,
            end > machine.seconds, let name = claims["jti"]?.string,
            try await records.find(name, RevokedToken.self) == nil,
            let id = name.split(separator: ".").first
        else { return nil }
        if id == Self.appGrant {
            let client = claims["client_id"]?.string ?? ""
            return self.client(client) == nil ? nil : (claims, appGrant(client, scopes: claims.scopes))
        }
        guard let kept = try await records.find(String(id), GrantRecord.self), try await flaw(of: kept.record) == nil
        else { return nil }
        return (claims, kept.record)
    }
}

extension JSONValue {
    /// The scopes of a token's claims.
    var scopes: [String] { (self["scope"]?.string ?? "").split(separator: " ").map(String.init) }
}
