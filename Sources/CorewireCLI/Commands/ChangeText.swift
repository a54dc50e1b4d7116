import WireBase
import WireConfig
import WireRunnerContract
import WireService

/// The result of a change as text.
struct ChangeText {
    private let report: ChangeReport
    private let paint: Paint

    init(_ report: ChangeReport, _ paint: Paint) {
        (self.report, self.paint) = (report, paint)
    }

    /// The text of a change that was made, not needed, or only planned.
    var text: String {
        let generation = report.generation
        let environment = Display.environment(report.environment, at: report.url).map { " in \($0)" } ?? ""
        let hash = " (\(report.hash.shown(upTo: 400)))"
        switch report.outcome {
        case .unchanged: return "nothing has changed: generation \(generation)\(environment) continues\(hash)\n"
        case .planned:
            return "generation \(generation) continues; planned change\(environment)\(hash):\n\n" + services + settings
        case .applied, .rejected, .rolledBack, .conflict:
            let took = ", after \(report.duration.milliseconds) ms"
            return "\(paint("generation \(generation) runs", .good))\(environment)\(hash)\(took)\n\n" + services
                + settings
                + confirmation
        }
    }

    /// The text of a failed change: the diagnostics as in `validate-config`, or the failed service.
    func refusal(_ title: String) -> String {
        var text = report.diagnosticsText.map { TextReport.painted($0.shownByLines, paint) } ?? ""
        let faults = report.services.compactMap(\.fault)
        if !faults.isEmpty { text += services + "\n" }
        let reason = report.reason?.shown(upTo: 400) ?? ""
        text += "\(paint("error", .error)): \(title)\(reason.isEmpty ? "" : ": \(reason)")\n"
        for origin in faults.compactMap(\.origin) {
            text += "  --> \(origin.place.shown(upTo: 400)) (\(origin.path.shown(upTo: 400)))\n"
        }
        for help in faults.compactMap(\.help) { text += "  = help: \(help.shown(upTo: 400))\n" }
        return text + "generation \(report.generation) continues\n"
    }

    private var services: String {
        var table = Table(["service", "action", "took", "in flight", "reason"])
        for service in report.services {
            table.add([
                "\(service.name.shown(upTo: 400))",
                .init(service.action.rawValue, service.action == .keep ? nil : .strong),
                "\(service.duration.map { "\($0.milliseconds) ms" } ?? "")",
                "\(service.inFlight == 0 ? "" : "\(service.inFlight)")",
                service.fault.map { .init(StatusText.reason($0), .error) } ?? .init(cause(service), nil),
            ])
        }
        return table.text(paint)
    }

    private func cause(_ service: ChangeReport.ServiceChange) -> String {
        let user = service.needsUser ? "needs a user" : nil
        return [service.cause?.shown(upTo: 120), user].compactMap { $0 }.joined(separator: "; ")
    }

    private var settings: String {
        guard !report.settings.isEmpty else { return "" }
        return "\n"
            + report.settings.map { setting in
                let old = setting.old?.shown(upTo: 120) ?? "not set"
                let new = setting.new?.shown(upTo: 120) ?? "not set"
                let place = setting.place.map { "  (\($0.shown(upTo: 400)))" } ?? ""
                return "\(setting.path.shown(upTo: 400)): \(old) → \(paint(new, .strong))\(place)\n"
            }.joined()
    }

    private var confirmation: String {
        guard let limit = report.confirmWithin else { return "" }
        let seconds = limit.components.seconds
        return
            "\n\(paint("rollback in \(seconds)s", .warning)) unless the generation is confirmed: corewire confirm\n"
    }
}
