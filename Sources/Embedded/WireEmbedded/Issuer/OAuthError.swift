import WireConfig
import WireHTTP

/// An error answer of OAuth (RFC 6749, section 5.2), in a form programs know.
struct OAuthError: Error, Sendable {
    var status: Status = .badRequest
    let code: String
    let description: String
    var fields: Fields = [:]

    init(_ code: String, _ description: String, status: Status = .badRequest) {
        self.code = code
        self.description = description
        self.status = status
    }

    init(_ misread: Parameters.Misread) { self.init("invalid_request", misread.reason) }

    var response: Response {
        var response = Response.json(
            .members(["error": .string(code), "error_description": .string(description)]),
            status: status
        )
        response.fields.add("Pragma", "no-cache")
        for field in fields.all { response.fields.add(field.name, field.value) }
        return response
    }

    static func invalidRequest(_ description: String) -> Self { Self("invalid_request", description) }
    static func invalidGrant(_ description: String) -> Self { Self("invalid_grant", description) }

    /// Whoever calls has not shown who it is.
    static func invalidClient(_ description: String = "Invalid client or Invalid client credentials") -> Self {
        var error = Self("invalid_client", description, status: .unauthorized)
        error.fields.add("WWW-Authenticate", "Basic realm=\"corewire\"")
        return error
    }

    /// The store, the clock or the keys of this machine fail.
    static let unavailable = Self("temporarily_unavailable", "the server cannot do this now", status: .unavailable)
}
