import CorewireCatalogue
package import WireBase
package import WireConfig
package import WireHTTP
import WireService

/// A request the runner refused, with its reasons (RFC 9457).
package struct RunnerRefusal: Error {
    package let json: JSONValue
    /// How the command ends: as the kind of the failure says, or the status of the answer.
    package let status: ExitStatus
    private let code: Int

    package init<Kind: FailureKind>(_ json: JSONValue, _ status: Status, among kinds: Kind.Type) {
        let type = json["type"]?.string?.split(separator: ":").last.map(String.init)
        let kind = kinds.allCases.first { $0.type == type && $0.facts.status == status }
        // What is no failure of the operation is one of the runner.
        let usual = status == .internalError ? .internalError : FailureFacts.ending(with: status)
        self.status = kind?.facts.exit ?? usual
        (self.json, code) = (json, status.code)
    }

    /// The whole of it as people read it.
    package var text: String {
        var title = json.line("title") ?? Status(code).phrase.lowercased()
        if let detail = json.line("detail") {
            // Many begin with what the title has said.
            if detail.lowercased().hasPrefix(title.lowercased()) {
                title += detail.dropFirst(title.count)
            } else if !detail.lowercased().contains(title.lowercased()) {
                title += ": \(detail)"
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
            "who may do what over the socket is written in 'api.access' of the services file"
        case (_, "no-such-path"): section.map { "it comes with the section \($0.quoted) of the services file" }
        case (423, "locked"): "'corewire auth unlock'"
        case (429, _), (503, _): "try again in a while"
        default: nil
        }
    }

    /// The section whose service would answer the path that was asked for.
    private var section: String? {
        func name<Answering: Service>(_ service: Answering.Type) -> String { Answering.Settings.name }
        let asked = json["detail"]?.string?.split(separator: "'").dropFirst().first?.split(separator: "/").prefix(2)
        guard let asked, asked.count == 2 else { return nil }
        return Shipped.services.first { service in
            service.operations.contains { $0.pattern.split(separator: "/").starts(with: asked) }
        }.map { name($0) }
    }
}
