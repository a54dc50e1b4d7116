import WireConfig
import WireHTTP

/// An error response in the words of the emulated servers.
struct SecurityRefusal: Error, Sendable {
    let status: Status
    let message: String
    /// The name of the status, which only the metrics service adds.
    var error: String?

    init(_ status: Status, _ message: String) { (self.status, self.message) = (status, message) }

    /// The error for an invalid message to the metrics service.
    static func metrics(_ reason: String) -> Self {
        var refusal = Self(.badRequest, reason)
        refusal.error = "Bad Request"
        return refusal
    }

    static let notFound = Self(.notFound, "Your requested Item is not found")
    static let conflict = Self(.conflict, "Your Item already exists")
    static let badParameter = Self(.badRequest, "Given Param is not valid")
    static let internalError = Self(.internalError, "Internal Server Error")

    var response: Response {
        .json(
            .members([
                "error": error.map(JSONValue.string), "message": .string(message), "statusCode": .integer(status.code),
            ]),
            status: status
        )
    }
}
