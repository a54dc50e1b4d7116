import WireService
package import WireBase
package import WireConfig
package import WireSecrets

/// The credentials of requests to Altcraft, and the profile they stand for.
package struct AltcraftAuthorization: Sendable {
    /// The value of the field `Authorization`.
    package let header: Secret<String>
    package let matchingMode: String
    /// The profile that the JWT names; nil with a role token.
    package let matching: JSONValue?
    /// Separates the requests of profiles: the same for the same profile, and never a secret.
    package let userTag: String

    var isRoleToken: Bool { matching == nil }

    package init(roleToken: Secret<String>, matchingMode: String?, with secrecy: any CryptoProvider) throws(Fault) {
        header = Secret("Bearer rtoken@\(roleToken.reveal())")
        self.matchingMode = matchingMode ?? "push_sub"
        matching = nil
        userTag = "r" + (try secrecy.tag("rtoken:\(roleToken.reveal())"))
    }

    /// Reads the claim `matching` of a JWT: JSON, or JSON in a text.
    package init(jwt: Secret<String>, with secrecy: any CryptoProvider) throws(Fault) {
        guard let claims = Self.claims(of: jwt) else {
            throw Fault(
                "malformed JWT for Altcraft",
                help: "expected three parts separated by dots, the second of at most 16 KB"
            )
        }
        guard let given = claims["matching"] else {
            throw Fault(
                "the JWT of the user has no claim 'matching', by which Altcraft finds the profile",
                help: "add the claim at the issuer of the token"
            )
        }
        var inner = given
        if let text = given.string, let read = try? JSONValue(parsing: Array(text.utf8), named: "matching") {
            inner = read
        }
        let name = inner["db_id"].flatMap { $0.integer.map(String.init) ?? $0.string }
        let ids = Self.identifiers.compactMap { name in
            inner[name].flatMap { $0.string ?? $0.integer.map(String.init) }
        }
        guard let database = name, let mode = inner["matching"]?.string, !ids.isEmpty else {
            throw Fault(
                "the claim 'matching' of the user's JWT lacks members that Altcraft requires",
                help: "required members: 'db_id', 'matching', and one of \(Self.identifiers.listed("or"))"
            )
        }
        header = Secret("Bearer \(jwt.reveal())")
        (matchingMode, matching) = (mode, inner)
        let form = JSONValue.members([
            "db_id": .string(database), "matching": .string(mode),
            "matching_identifier": .string(ids.joined(separator: "/")),
        ])
        userTag = "u" + (try secrecy.tag(form.text()))
    }

    private static let mostBytes = 16 * 1_024

    private static func claims(of jwt: Secret<String>) -> JSONValue? {
        let parts = jwt.reveal().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].utf8.count < mostBytes, let payload = Base64URL.bytes(of: String(parts[1]))
        else { return nil }
        return try? JSONValue(parsing: payload, named: "claims")
    }

    /// The flaw of a JWT that Altcraft would not accept.
    static func flaw(of jwt: Secret<String>) -> PushServerEvent.TokenFlaw {
        claims(of: jwt) == nil ? .unreadable : .unfit
    }

    /// In the order in which the SDKs join them.
    private static let identifiers = [
        "email", "phone", "profile_id", "field_name", "field_value", "provider", "subscription_id",
    ]
}
