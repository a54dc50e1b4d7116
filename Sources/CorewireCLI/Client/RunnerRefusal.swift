package import WireBase
package import WireConfig
package import WireHTTP
import WireService

/// A refused request, with its problem (RFC 9457).
package struct RunnerRefusal: Error {
    package let json: JSONValue
    /// The exit status, by the kind of the failure or the status of the response.
    package let status: ExitStatus
    private let code: Int

    package init<Kind: FailureKind>(_ json: JSONValue, _ status: Status, among kinds: Kind.Type) {
        let type = json["type"]?.string?.split(separator: ":").last.map(String.init)
        let kind = kinds.allCases.first { $0.type == type && $0.facts.status == status }
        // Other problems are the runner's own failures.
        let usual = status == .internalError ? .internalError : FailureFacts.ending(with: status)
        self.status = kind?.facts.exit ?? usual
        (self.json, code) = (json, status.code)
    }

    /// The text for the terminal.
    package var text: String {
        var title = json.line("title") ?? Status(code).phrase.lowercased()
        if isComplete {
            title = json.line("detail") ?? title
        } else if let detail = json.line("detail"), !isPlainlySignedOut {
            // Many details repeat the title.
            if detail.lowercased().hasPrefix(title.lowercased()) {
                title += detail.dropFirst(title.count)
            } else {
                title = detail.lowercased().contains(title.lowercased()) ? detail : "\(title): \(detail)"
            }
        }
        var text = "error: \(title)\n"
        if let origin = json["config"], let place = origin.line("place") {
            text += "  --> \(place)\(origin.line("path").map { " (\($0))" } ?? "")\n"
        }
        if let help = json.line("help") ?? usualHelp { text += "  = help: \(help)\n" }
        return text
    }

    /// The last part of the problem's type.
    private var type: Substring? { json.line("type")?.split(separator: ":").last }

    /// Whether the detail is a sentence of its own: the services file lacks the section of a path.
    private var isComplete: Bool { type == "no-such-path" && json.line("help") != nil }

    /// Whether the detail adds nothing to the title.
    private var isPlainlySignedOut: Bool { type == "signed-out" && json.line("detail") == "Sign in first." }

    private var saysWhatToDo: Bool {
        let detail = json.line("detail") ?? ""
        return detail.contains("'corewire auth login'") || detail.contains("set 'auth.")
    }

    private var usualHelp: String? {
        switch (code, type) {
        case (_, "forbidden"), (_, "unauthorized"):
            "set the rights of callers with 'api.access' in the services file"
        // The detail says what to do where no user can sign in, or gives the command itself.
        case (401, "signed-out") where json["config"] != nil || saysWhatToDo: nil
        case (401, "signed-out"): "run 'corewire auth login'"
        case (423, "locked"): "run 'corewire auth unlock'"
        // The setting at fault must be changed first.
        case (503, "token-unavailable") where json["config"] != nil: nil
        case (429, _), (503, _): "try again later"
        default: nil
        }
    }
}
