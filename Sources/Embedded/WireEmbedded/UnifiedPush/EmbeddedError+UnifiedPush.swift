import WireBase
import WireConfig
import WireHTTP

/// The errors of a UnifiedPush Server: `{"message", "details"}`; some have no body.
extension EmbeddedError {
    static func unifiedPush(
        _ status: Status,
        _ message: String? = nil,
        details: [(key: String, value: JSONValue)] = [],
        fields: Fields = [:]
    ) -> Self {
        guard let message else { return Self(status.phrase, Response(status, fields: fields)) }
        var response = Response.json(
            .members(["message": .string(message), "details": .object(details)]),
            status: status
        )
        response.fields.add(fields)
        return Self(message, response)
    }

    /// An error for a body that is not as expected, with the place in it.
    static func unifiedPush(_ problem: Problem) -> Self {
        var details: [(key: String, value: JSONValue)] = []
        if let pointer = problem.spot?.pointer, !pointer.isEmpty { details = [("place", .string(pointer))] }
        return .unifiedPush(problem.status, "\(problem.title): \(problem.detail)", details: details)
    }

    static let unifiedPushUnauthorized = unifiedPush(
        .unauthorized,
        "Unauthorized Request",
        fields: ["WWW-Authenticate": "Basic realm=\"AeroGear UnifiedPush Server\""]
    )
    static let unifiedPushNotFound = unifiedPush(.notFound, "Not found")
    static let unifiedPushFull = unifiedPush(.insufficientStorage, "The server's storage is full")
}
