import WireBase
import WireConfig
import WireHTTP

/// A refusal in Altcraft's words: `{"error", "error_text"}`; the number is that of the status.
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

    static let unauthorized = Self(.unauthorized, "the token is missing, has ended, or is not known here")
    static let full = Self(.insufficientStorage, "the platform keeps as much as it can")
}

extension Response {
    /// What Altcraft answers when all went well; `profile` where it was asked for.
    static func altcraft(_ profile: JSONValue? = nil) -> Response {
        .json(.members(["error": .integer(0), "error_text": .string(""), "profile": profile]))
    }
}
