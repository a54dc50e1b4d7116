import WireBackendContract
import WireBase
import WireHTTP

/// Client authentication at the endpoints for programs (RFC 6749, section 2.3).
extension RealmRequest {
    /// Returns the client of a form; a client without a secret gives only its id.
    func authenticate(_ request: Request, _ form: Parameters) throws -> EmbeddedClient {
        let (id, secret) = try credentials(request, form)
        guard let client = client(id) else { throw OAuthError.invalidClient() }
        guard let expected = client.secret else {
            guard secret == nil else { throw OAuthError.invalidClient() }
            return client
        }
        let counted = "client/\(realm)/\(client.id)"
        guard attempts.wait(for: counted) == 0 else { throw OAuthError.tooMany(attempts.wait(for: counted)) }
        guard let secret, try machine.isSame(secret, expected.reveal()) else {
            if secret != nil { attempts.wrong(counted) }
            throw OAuthError.invalidClient()
        }
        attempts.right(counted)
        return client
    }

    private func credentials(_ request: Request, _ form: Parameters) throws -> (id: String, secret: String?) {
        guard let field = request.fields["Authorization"] else {
            guard let id = form["client_id"] else { throw OAuthError.invalidClient("client_id is missing") }
            return (id, form["client_secret"])
        }
        guard form["client_secret"] == nil else {
            throw OAuthError.invalidRequest("the client authenticates in two ways")
        }
        guard let (id, secret) = Self.basic(field) else { throw OAuthError.invalidClient() }
        guard form["client_id"].map({ $0 == id }) ?? true else {
            throw OAuthError.invalidRequest("client_id differs from the Authorization field")
        }
        return (id, secret)
    }

    /// Reads name and password from the field, each form-encoded as in RFC 6749.
    private static func basic(_ field: String) -> (String, String)? {
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic", let bytes = Base64.bytes(of: String(words[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        let parts = [text[..<colon], text[text.index(after: colon)...]].map {
            Target(parsing: "/?v=\($0)")?.query.first?.value
        }
        guard let id = parts[0], let secret = parts[1], !id.isEmpty else { return nil }
        return (id, secret)
    }
}

extension OAuthError {
    /// The error after too many wrong secrets or passwords.
    static func tooMany(_ seconds: Int) -> Self {
        var error = Self("slow_down", "too many wrong attempts", status: .tooManyRequests)
        error.fields.add("Retry-After", "\(seconds)")
        return error
    }
}
