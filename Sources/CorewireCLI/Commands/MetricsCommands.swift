import WireBase
import WireConfig
import WireHTTP
import WireMetricsContract

/// `corewire metrics`: what the metrics service is told.
enum MetricsCommands {
    static let metrics = Command(
        name: "metrics",
        summary: "Show what the metrics service is told, and have it told.",
        subcommands: [status, preview, send]
    )

    private static let status = Command.call(
        "status",
        MetricsCalls.status,
        summary: "Show where metrics go, and what became of the last ones."
    ) { reply, paint in (text(of: reply.answer, paint), .success) }

    private static let preview = Command.call(
        "preview",
        MetricsCalls.preview,
        summary: "Show what would be sent now, word for word; nothing is.",
        discussion: "Each line is the body of one request."
    ) { reply, _ in
        // As the runner has written them: it may be newer, and say more.
        ((reply.json["messages"]?.array ?? []).map { "\($0.text())\n" }.joined(), .success)
    }

    private static let send = Command.call(
        "send",
        MetricsCalls.send,
        summary: "Have messages sent now.",
        discussion: "Exit status: 0 they are on their way, 1 the file does not name the type, or no rules have run.",
        words: ["type": .argument("type", "init or security; otherwise all that 'metrics.types' names.")]
    ) { reply, _ in (reply.answer.ids.map { "\($0.shown(upTo: 200))\n" }.joined(), .success) }

    private static func text(of report: MetricsReport, _ paint: Paint) -> String {
        var table = Table(["metrics", report.url.shown(upTo: 400)])
        table.add(["client", "\(report.clientID.shown(upTo: 400))"])
        table.add(["publisher", report.publisher == .program ? "the program" : "the server"])
        table.add(["types", "\(report.types.joined(separator: " ").shown(upTo: 400))"])
        for last in report.last {
            let reason = last.reason.map { ": \($0.shown(upTo: 400))" } ?? ""
            table.add(["\(last.kind.rawValue)", "\(last.word.rawValue) \(Showing.time(last.at))\(reason)"])
        }
        return table.text(paint)
    }
}
