import WireConfig
import WireHTTP

/// Who asks, by the token of the request: one that the identity server built in has given out, and that still holds.
struct HaloCaller: Sendable {
    /// The user's name, or that of the app.
    let name: String

    /// Whoever asks for what everybody may know.
    static let anybody = HaloCaller(name: "anybody")

    private init(name: String) { self.name = name }

    /// Nil where there is no token, or none that is believed.
    init?(_ request: Request, _ issuer: Issuer) throws {
        guard let field = request.fields["Authorization"] else { return nil }
        try self.init(authorization: field, issuer)
    }

    /// The same by the value of the field alone.
    init?(authorization field: String, _ issuer: Issuer) throws {
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        let token = words[1].drop { $0 == " " }
        guard token.utf8.count <= 8_192 else { return nil }
        for desk in issuer.desks {
            guard let (claims, grant) = try desk.grant(ofAccessToken: String(token)) else { continue }
            name = grant.user ?? claims["client_id"]?.string ?? "app"
            return
        }
        return nil
    }
}
