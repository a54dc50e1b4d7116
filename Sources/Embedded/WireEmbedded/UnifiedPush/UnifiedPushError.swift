import WireBase
import WireConfig
import WireHTTP

/// An error response of a UnifiedPush Server: `{"message", "details"}`; some have no body.
struct UnifiedPushError: Error, Sendable {
    let status: Status
    var message: String?
    var details: [(key: String, value: JSONValue)] = []
    var fields: Fields = [:]

    init(_ status: Status, _ message: String? = nil, details: [(key: String, value: JSONValue)] = []) {
        (self.status, self.message, self.details) = (status, message, details)
    }

    /// An error for a body that is not as expected, with the place in it.
    init(_ problem: Problem) {
        self.init(problem.status, "\(problem.title): \(problem.detail)")
        if let pointer = problem.spot?.pointer, !pointer.isEmpty { details = [("place", .string(pointer))] }
    }

    var response: Response {
        guard let message else { return Response(status, fields: fields) }
        var response = Response.json(
            .members(["message": .string(message), "details": .object(details)]),
            status: status
        )
        response.fields.add(fields)
        return response
    }

    static let unauthorized: Self = {
        var error = Self(.unauthorized, "Unauthorized Request")
        error.fields.add("WWW-Authenticate", "Basic realm=\"AeroGear UnifiedPush Server\"")
        return error
    }()

    static let notFound = Self(.notFound, "Not found")
    static let full = Self(.insufficientStorage, "The server's storage is full")
}
