import CorewireFile
package import WireBase
package import WireConfig
package import WireHTTP
import WireService

/// A request the runner refused, with its reasons (RFC 9457).
package struct RunnerRefusal: Error {
    package let json: JSONValue
    private let code: Int
    private let end: ExitStatus?

    /// The command ends as the status of the answer says, unless it is said how.
    package init(_ json: JSONValue, _ status: Status, endingWith end: ExitStatus? = nil) {
        (self.json, self.end) = (json, end)
        code = status.code
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

    package var status: ExitStatus {
        if let end { return end }
        return switch code {
        case 401, 403: .noPermission
        case 429, 503: .temporary
        case 500...: .internalError
        default: .problemsFound
        }
    }
}
