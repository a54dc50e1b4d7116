import CorewireCLI
import WireBase
import WireConfig

/// What became of a change, as people read it.
struct ChangeText {
    private let json: JSONValue
    private let paint: Paint

    init(_ json: JSONValue, _ paint: Paint) {
        self.json = json
        self.paint = paint
    }

    /// A change that was made, was not needed, or is only planned.
    var text: String {
        let generation = json["generation"]?.integer ?? 0
        let environment = json.environment.map { " in \($0)" } ?? ""
        let hash = json.line("hash").map { " (\($0))" } ?? ""
        switch json["outcome"]?.string {
        case "unchanged": return "nothing has changed: generation \(generation)\(environment) goes on\(hash)\n"
        case "planned":
            return "generation \(generation) goes on; this would follow\(environment)\(hash):\n\n" + services + settings
        default:
            let took = json["milliseconds"]?.integer.map { ", after \($0) ms" } ?? ""
            return "\(paint("generation \(generation) runs", .good))\(environment)\(hash)\(took)\n\n" + services
                + settings
                + confirmation
        }
    }

    /// A change that was not made: the diagnostics as `validate-config` shows them, or the service that failed.
    var refusal: String {
        let generation = json["generation"]?.integer ?? 0
        var text = json.lines("diagnosticsText").map { TextReport.painted($0, paint) } ?? ""
        let failed = (json["services"]?.array ?? []).filter { $0["fault"] != nil }
        if !failed.isEmpty { text += services + "\n" }
        let title = json.line("title") ?? "refused"
        let reason = json.line("reason") ?? json.line("detail") ?? ""
        text += "\(paint("error", .error)): \(title)\(reason.isEmpty ? "" : ": \(reason)")\n"
        for service in failed {
            guard let origin = service["fault"]?["config"], let place = origin.line("place") else { continue }
            text += "  --> \(place)\(origin.line("path").map { " (\($0))" } ?? "")\n"
        }
        for help in failed.compactMap({ $0["fault"]?.line("help") }) { text += "  = help: \(help)\n" }
        return text + "generation \(generation) goes on\n"
    }

    private var services: String {
        var table = Table(["service", "action", "took", "in flight", "reason"])
        for service in json["services"]?.array ?? [] {
            let action = service.line("action") ?? ""
            let inFlight = service["inFlight"]?.integer ?? 0
            table.add([
                "\(service.line("name") ?? "")",
                .init(action, action == "keep" ? nil : .strong),
                "\(service["milliseconds"]?.integer.map { "\($0) ms" } ?? "")",
                "\(inFlight == 0 ? "" : "\(inFlight)")",
                service["fault"].map { .init(StatusText.reason($0), .error) } ?? .init(cause(service), nil),
            ])
        }
        return table.text(paint)
    }

    private func cause(_ service: JSONValue) -> String {
        let user = service["needsUser"] == nil ? nil : "needs a user"
        return [service.line("cause", upTo: 120), user].compactMap { $0 }.joined(separator: "; ")
    }

    private var settings: String {
        let settings = json["settings"]?.array ?? []
        guard !settings.isEmpty else { return "" }
        return "\n"
            + settings.map { setting in
                let old = setting.line("old", upTo: 120) ?? "not set"
                let new = setting.line("new", upTo: 120) ?? "not set"
                let place = setting.line("place").map { "  (\($0))" } ?? ""
                return "\(setting.line("path") ?? ""): \(old) → \(paint(new, .strong))\(place)\n"
            }.joined()
    }

    private var confirmation: String {
        guard let seconds = json["confirmWithinSeconds"]?.integer else { return "" }
        return
            "\n\(paint("the former generation returns in \(seconds)s", .warning)) unless it is confirmed: corewire confirm\n"
    }
}
