import WireConfig
import WireHTTP

/// The caller, authenticated by a valid token of the embedded identity server.
struct HaloCaller: Sendable {
    /// The user's name, or that of the app.
    let name: String

    /// A caller without a token, for public operations.
    static let anybody = HaloCaller(name: "anybody")

    private init(name: String) { self.name = name }

    /// Authenticates a request; nil where its token is missing or invalid.
    init?(_ request: Request, _ issuer: Issuer) async throws {
        guard let field = request.fields["Authorization"] else { return nil }
        try await self.init(authorization: field, issuer)
    }

    /// Authenticates by the value of the field alone.
    init?(authorization field: String, _ issuer: Issuer) async throws {
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        let token = words[1].drop { $0 == " " }
        guard token.utf8.count <= 8_192 else { return nil }
        for context in issuer.desks {
            guard let (claims, grant) = try await context.grant(ofAccessToken: String(token)) else { continue }
            name = grant.user ?? claims["client_id"]?.string ?? "app"
            return
        }
        return nil
    }
}
