import WireBase
import WireConfig
import WireHTTP

/// An error response of OAuth (RFC 6749, section 5.2).
struct OAuthError: WrappingError {
    var status: Status = .badRequest
    let code: String
    let description: String
    var fields: Fields = [:]

    init(_ code: String, _ description: String, status: Status = .badRequest) {
        self.code = code
        self.description = description
        self.status = status
    }

    init(_ fault: Fault) { self.init("invalid_request", fault.reason) }

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

    /// The error for a caller that has not authenticated.
    static func invalidClient(_ description: String = "Invalid client or Invalid client credentials") -> Self {
        var error = Self("invalid_client", description, status: .unauthorized)
        error.fields.add("WWW-Authenticate", "Basic realm=\"corewire\"")
        return error
    }

    /// The error where the store, the clock or the keys fail.
    static let unavailable = Self("temporarily_unavailable", "the server failed; try again", status: .unavailable)
}
