import CorewireCatalogue
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
        if let detail = json.line("detail") {
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

    private var usualHelp: String? {
        switch (code, json.line("type")?.split(separator: ":").last) {
        case (_, "forbidden"), (_, "unauthorized"):
            "set the rights of callers with 'api.access' in the services file"
        case (_, "no-such-path"): section.map { "add the section \($0.quoted) to the services file" }
        case (423, "locked"): "run 'corewire auth unlock'"
        case (429, _), (503, _): "try again later"
        default: nil
        }
    }

    /// The section whose service has the requested path.
    private var section: String? {
        func name<Answering: Service>(_ service: Answering.Type) -> String { Answering.Settings.name }
        let asked = json["detail"]?.string?.split(separator: "'").dropFirst().first?.split(separator: "/").prefix(2)
        guard let asked, asked.count == 2 else { return nil }
        return Shipped.services.first { service in
            service.operations.contains { $0.pattern.split(separator: "/").starts(with: asked) }
        }.map { name($0) }
    }
}
