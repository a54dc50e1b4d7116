import WireBase
import WireConfig
import WireHTTP

/// The errors of Altcraft: `{"error", "error_text"}`, where the number is the status.
extension EmbeddedError {
    static func altcraft(_ status: Status, _ text: String) -> Self {
        let json = JSONValue.members(["error": .integer(status.code), "error_text": .string(text)])
        return Self(text, .json(json, status: status))
    }

    static func altcraft(_ problem: Problem) -> Self {
        let pointer = problem.spot?.pointer ?? ""
        let place = pointer.isEmpty ? "" : "\(pointer): "
        return .altcraft(problem.status, "\(problem.title): \(place)\(problem.detail)")
    }

    static let altcraftUnauthorized = altcraft(.unauthorized, "the token is missing, expired or unknown")
    static let altcraftFull = altcraft(.insufficientStorage, "the platform's storage is full")
}

extension Response {
    /// The successful response of Altcraft; it has `profile` where the request asked for it.
    static func altcraft(_ profile: JSONValue? = nil) -> Response {
        .json(.members(["error": .integer(0), "error_text": .string(""), "profile": profile]))
    }
}
