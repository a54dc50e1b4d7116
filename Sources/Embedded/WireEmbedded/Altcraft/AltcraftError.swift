import WireBase
import WireConfig
import WireHTTP

/// An error response of Altcraft: `{"error", "error_text"}`, where the number is the status.
struct AltcraftError: Error, Sendable {
    let status: Status
    let text: String

    init(_ status: Status, _ text: String) { (self.status, self.text) = (status, text) }

    init(_ problem: Problem) {
        let pointer = problem.spot?.pointer ?? ""
        let place = pointer.isEmpty ? "" : "\(pointer): "
        self.init(problem.status, "\(problem.title): \(place)\(problem.detail)")
    }

    var response: Response {
        .json(.members(["error": .integer(status.code), "error_text": .string(text)]), status: status)
    }

    static let unauthorized = Self(.unauthorized, "the token is missing, expired or unknown")
    static let full = Self(.insufficientStorage, "the platform's storage is full")
}

extension Response {
    /// The successful response of Altcraft; it has `profile` where the request asked for it.
    static func altcraft(_ profile: JSONValue? = nil) -> Response {
        .json(.members(["error": .integer(0), "error_text": .string(""), "profile": profile]))
    }
}
