import WireConfig
import WireHTTP

/// A refusal in the words of the servers that are stood for.
struct SecurityRefusal: Error, Sendable {
    let status: Status
    let message: String
    /// What the metrics service adds, and the mobile security service does not: the name of the status.
    var error: String?

    init(_ status: Status, _ message: String) { (self.status, self.message) = (status, message) }

    /// A message the metrics service does not take.
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
