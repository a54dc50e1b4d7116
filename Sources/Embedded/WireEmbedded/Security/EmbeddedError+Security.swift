import WireConfig
import WireHTTP

/// The errors of the metrics and security server: `{"message", "statusCode"}`.
extension EmbeddedError {
    /// An error; only the metrics service adds the name of the status.
    static func security(_ status: Status, _ message: String, name: String? = nil) -> Self {
        let json = JSONValue.members([
            "error": name.map(JSONValue.string), "message": .string(message), "statusCode": .integer(status.code),
        ])
        return Self(message, .json(json, status: status))
    }

    /// The error for an invalid message to the metrics service.
    static func metrics(_ reason: String) -> Self { .security(.badRequest, reason, name: "Bad Request") }

    static let securityItemNotFound = security(.notFound, "Your requested Item is not found")
    static let securityConflict = security(.conflict, "Your Item already exists")
    static let securityBadParameter = security(.badRequest, "Given Param is not valid")
    static let securityInternalError = security(.internalError, "Internal Server Error")
}
