import WireBase
import WireConfig
import WireHTTP

/// The caller of the platform: a role token, or the user that a JWT names.
enum AltcraftCaller: Sendable {
    case role
    case person(Matching)

    /// The profile that the claim `matching` identifies; the claim is a string of JSON.
    struct Matching: Sendable {
        let mode: String
        /// The profile's name, derived from the database and the identifiers of the user.
        let profile: String
        /// The device, where the claim identifies a device and no user.
        let device: (provider: String, token: String)?
    }

    init(_ request: Request, _ context: PushRequestContext) async throws {
        guard let field = request.fields["Authorization"], field.utf8.count <= 16_384 else {
            throw EmbeddedError.altcraftUnauthorized
        }
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw EmbeddedError.altcraftUnauthorized }
        let token = String(words[1].drop { $0 == " " })
        if token.hasPrefix("rtoken@") {
            let given = String(token.dropFirst("rtoken@".count))
            var isKnown = false
            for known in context.admitted.roleTokens where try context.machine.isSame(known.reveal(), given) {
                isKnown = true
            }
            guard isKnown else { throw EmbeddedError.altcraftUnauthorized }
            self = .role
            // The SDK for iOS sends the token itself here.
            let mode = try request.queryText("matching_mode")
            guard mode == nil || mode == "push_sub" || mode == given else {
                throw EmbeddedError.altcraft(
                    .badRequest,
                    "matching_mode: found \(mode.map(\.quoted) ?? ""), expected 'push_sub' with a role token"
                )
            }
            return
        }
        for context in context.issuer.desks {
            guard let (claims, _) = try await context.grant(ofAccessToken: token) else { continue }
            let matching = try await Matching(claims, context.machine)
            let mode = try request.queryText("matching_mode")
            guard mode == nil || mode == matching.mode else {
                throw EmbeddedError.altcraft(.badRequest, "matching_mode differs from the token's claim 'matching'")
            }
            self = .person(matching)
            return
        }
        throw EmbeddedError.altcraftUnauthorized
    }

    var matching: Matching? {
        if case .person(let matching) = self { matching } else { nil }
    }
}

extension AltcraftCaller.Matching {
    /// In the order in which the SDKs concatenate them.
    private static let identifiers = [
        "email", "phone", "profile_id", "field_name", "field_value", "provider", "subscription_id",
    ]

    fileprivate init(_ claims: JSONValue, _ machine: SystemServices) async throws {
        guard let claim = claims["matching"] else {
            throw EmbeddedError.altcraft(.forbidden, "the token has no claim 'matching'")
        }
        guard let text = claim.string else {
            throw EmbeddedError.altcraft(.forbidden, "the claim 'matching' must be a string of JSON")
        }
        guard let json = try? JSONValue(parsing: Array(text.utf8), named: "matching"), json.members != nil else {
            throw EmbeddedError.altcraft(.forbidden, "the claim 'matching' is not a JSON object")
        }
        guard let database = json["db_id"]?.integer, let mode = json["matching"]?.string, !mode.isEmpty else {
            throw EmbeddedError.altcraft(
                .forbidden,
                "the claim 'matching' needs a number 'db_id' and a string 'matching'"
            )
        }
        let found: [(name: String, value: String)] = Self.identifiers.compactMap { name in
            let value = json[name].flatMap { $0.string ?? $0.integer.map(String.init) }
            return value.flatMap { $0.isEmpty ? nil : (name, $0) }
        }
        guard !found.isEmpty else {
            throw EmbeddedError.altcraft(.forbidden, "the claim 'matching' needs one of \(Self.identifiers.listed())")
        }
        self.mode = mode
        let provider = found.first { $0.name == "provider" }?.value
        let token = found.first { $0.name == "subscription_id" }?.value
        if mode == "push_sub", let provider, let token { device = (provider, token) } else { device = nil }
        let identity = found.map { "\($0.name)=\($0.value)" }.joined(separator: "/")
        profile = String(try machine.digest("altcraft/\(database)/\(identity)").prefix(24))
    }
}
