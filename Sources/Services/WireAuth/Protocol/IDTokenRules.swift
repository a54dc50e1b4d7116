import WireAuthContract
import WireBase
import WireConfig
import WireJOSE
import WireSecrets
import WireService

/// The validation of an ID token's claims (OpenID Connect Core, sections 3.1.3.7 and 12.2).
struct IDTokenRules: Sendable {
    var issuer: String
    var clientID: String
    /// A further accepted audience: the API of the file.
    var audience: String?
    /// Further audiences that the file trusts beside the client.
    var audiences: [String] = []
    /// The nonce of the request, which the token must repeat.
    var nonce: String?
    /// Seconds; from `max_age` of the request.
    var maxAge: Int64?
    /// From `acr_values` of the request: the token must have one of them.
    var authenticationClasses: [String] = []
    /// From `organization` of the request (Auth0).
    var organization: String?
    /// The user of the session, in a renewal.
    var former: GrantedUser?
    /// Milliseconds.
    var leeway: Int64
    var now: Int64

    /// The maximum age of an ID token at a sign-in.
    static let oldest: Int64 = 86_400_000

    /// Validates the claims of a verified token and returns the user.
    func user(_ token: VerifiedToken) throws(SignInFailure) -> GrantedUser {
        let claims = token.claims
        // Checked first: tokens of another user are never used.
        if let former { try checkOwner(claims, former) }
        try checkKind(token)
        guard let issuer = claims["iss"]?.string, issuer.isExactly(self.issuer) else {
            throw failure("the issuer is another server", .wrongIssuer)
        }
        guard let subject = claims["sub"]?.string, (1...255).contains(subject.utf8.count) else {
            throw failure("'sub' is missing, or not 1 to 255 characters")
        }
        try checkAudience(claims)
        try checkNonce(claims)
        try checkWishes(claims)
        let user = GrantedUser(
            issuer: issuer,
            subject: subject,
            claims: claims,
            authTime: claims["auth_time"]?.numericDate.map { $0 / 1_000 }
        )
        if let former { try check(user, against: former) }
        // Last: a failure in the times alone lets a renewal blame the clock of this machine.
        try checkTimes(claims)
        return user
    }

    /// Other tokens of the same server are signed with the same keys.
    private func checkKind(_ token: VerifiedToken) throws(SignInFailure) {
        guard token.header.type == nil || token.header.type == "jwt" else { throw failure("'typ' is not 'JWT'") }
        // Logout tokens (OpenID Connect Back-Channel Logout, section 2.4); Keycloak names the kind in a claim.
        guard token.claims["events"] == nil else { throw failure("the token is a logout token") }
        if let kind = token.claims["typ"], kind.string != "ID" { throw failure("the token is not an ID token") }
    }

    private func checkAudience(_ claims: JSONValue) throws(SignInFailure) {
        guard let audiences = claims["aud"]?.audiences, audiences.contains(where: { $0.isExactly(clientID) }) else {
            throw failure("the audience is another client", setting: .clientID)
        }
        let others = audiences.filter { !$0.isExactly(clientID) && !(audience?.isExactly($0) ?? false) }
        guard others.allSatisfy({ other in self.audiences.contains { $0.isExactly(other) } }) else {
            throw failure("the audience has clients that the file does not trust", setting: .audiences)
        }
        // With several audiences, `azp` names the client that the token was issued to.
        guard let party = claims["azp"] else {
            guard others.isEmpty else {
                throw failure("'azp' is missing, which a token with several audiences requires")
            }
            return
        }
        guard party.string?.isExactly(clientID) ?? false else {
            throw failure("the token was issued to another client", setting: .clientID)
        }
    }

    private func checkTimes(_ claims: JSONValue) throws(SignInFailure) {
        guard let expires = claims["exp"]?.numericDate else { throw failure("'exp' is missing or not a number") }
        guard let issued = claims["iat"]?.numericDate else { throw failure("'iat' is missing or not a number") }
        guard now < expires + leeway else { throw untimely("the token has expired", issued) }
        guard issued <= now + leeway else { throw untimely("the token was issued in the future", issued) }
        guard now - issued <= Self.oldest + leeway else {
            throw untimely("the token was issued more than a day ago", issued)
        }
        if let begin = claims["nbf"] {
            guard let begin = begin.numericDate else { throw failure("'nbf' is not a number") }
            guard begin <= now + leeway else { throw untimely("the token is not valid yet", issued) }
        }
    }

    private func checkNonce(_ claims: JSONValue) throws(SignInFailure) {
        // In a renewal the nonce may be missing; one that is present must be the sign-in's (section 12.2).
        let expected = former == nil ? nonce : former?.claims["nonce"]?.string
        guard let given = claims["nonce"] else {
            guard former != nil || expected == nil else { throw failure("'nonce' is missing") }
            return
        }
        guard let given = given.string, let expected, isEqual(Array(given.utf8), Array(expected.utf8)) else {
            throw failure("'nonce' differs from that of this sign-in")
        }
    }

    private func checkWishes(_ claims: JSONValue) throws(SignInFailure) {
        let signedIn = claims["auth_time"]?.numericDate
        guard claims["auth_time"] == nil || signedIn != nil else { throw failure("'auth_time' is not a number") }
        guard former == nil else { return }
        if let maxAge {
            guard let signedIn else { throw failure("'auth_time' is missing, which 'max_age' requires") }
            // In this form the comparison cannot overflow, however large `max_age` is.
            guard (now - signedIn - leeway) / 1_000 <= maxAge else {
                throw failure("the user signed in longer ago than 'max_age'")
            }
        }
        if !authenticationClasses.isEmpty {
            guard let reached = claims["acr"]?.string, authenticationClasses.contains(where: { $0.isExactly(reached) })
            else { throw failure("'acr' is none of the requested 'acr_values'", setting: .parameters) }
        }
        if let organization {
            let isID = organization.hasPrefix("org_")
            let given = claims[isID ? "org_id" : "org_name"]?.string ?? ""
            // Auth0 keeps names of organizations in lower case.
            guard isID ? given.isExactly(organization) : given.isExactly(organization.lowercased()) else {
                throw failure("the token is for another organization", setting: .parameters)
            }
        }
    }

    /// Checks that a renewal brings tokens of the same user, issuer and client.
    private func checkOwner(_ claims: JSONValue, _ former: GrantedUser) throws(SignInFailure) {
        if let other = claims["iss"]?.string, !other.isExactly(issuer) || !other.isExactly(former.issuer) {
            throw failure("the issuer is another server", .wrongIssuer).aboutAnotherUser()
        }
        if let other = claims["sub"]?.string, !other.isExactly(former.subject) {
            throw failure("the token is for another user").aboutAnotherUser()
        }
        if let audiences = claims["aud"]?.audiences, !audiences.contains(where: { $0.isExactly(clientID) }) {
            throw failure("the audience is another client", setting: .clientID).aboutAnotherUser()
        }
    }

    /// The other rules of a renewal (section 12.2).
    ///
    /// The new token may have an earlier `iat` than the former one: each server of a cluster has its own clock.
    private func check(_ user: GrantedUser, against former: GrantedUser) throws(SignInFailure) {
        if let before = former.authTime, let after = user.authTime, before != after {
            throw failure("'auth_time' has changed without a sign-in")
        }
        if let before = former.claims["azp"]?.string, let after = user.claims["azp"]?.string,
            !before.isExactly(after)
        {
            throw failure("'azp' has changed")
        }
    }

    private func failure(
        _ reason: String,
        _ kind: SignInFailure.Kind = .wrongToken,
        setting: SignInFailure.Setting? = nil
    ) -> SignInFailure {
        SignInFailure(kind, "the ID token is invalid: \(reason)", setting: setting)
    }

    /// A failure of the token's times, with the clock offset.
    ///
    /// The token was issued for this request, so its `iat` is the server's present time: a difference to the local time
    /// means a wrong clock, and none means a wrong token.
    private func untimely(_ reason: String, _ issued: Int64) -> SignInFailure {
        let offset = Duration.milliseconds(now - issued)
        // A server may repeat the former ID token with new tokens.
        let isNew = former?.claims["iat"]?.numericDate.map { issued > $0 } ?? true
        guard abs(now - issued) > leeway, isNew else { return failure(reason) }
        let side = offset < .zero ? "behind" : "ahead of"
        var failure = failure(
            "\(reason); the clock of this machine is about \(offset.roughly) \(side) the server's",
            .wrongClock
        )
        failure.clockOffset = offset
        return failure
    }
}

extension SignInFailure {
    fileprivate func aboutAnotherUser() -> Self {
        var failure = self
        failure.isAboutAnotherUser = true
        return failure
    }
}
