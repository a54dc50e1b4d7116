import WireBase
import WireConfig
import WireHTTP
import WireMetricsContract

/// `corewire metrics`: the messages for the metrics service.
enum MetricsCommands {
    static let metrics = Command(
        name: "metrics",
        summary: "Show and send messages for the metrics service.",
        subcommands: [status, preview, send]
    )

    private static let status = Command.call(
        "status",
        MetricsCalls.status,
        summary: "Show the metrics service and the last messages."
    ) { reply, paint in (text(of: reply.answer, paint), .success) }

    private static let preview = Command.call(
        "preview",
        MetricsCalls.preview,
        summary: "Print the messages without sending them.",
        discussion: "Each line is the body of one request."
    ) { reply, _ in
        // The raw JSON: a newer runner may have added members.
        ((reply.json["messages"]?.array ?? []).map { "\($0.text())\n" }.joined(), .success)
    }

    private static let send = Command.call(
        "send",
        MetricsCalls.send,
        summary: "Send messages now.",
        discussion: "Exit status: 0 queued, 1 the services file does not list the type, or no rules have run.",
        words: ["type": .argument("type", "init or security. (default: all of 'metrics.types')")]
    ) { reply, _ in (reply.answer.ids.map { "\($0.shown(upTo: 200))\n" }.joined(), .success) }

    private static func text(of report: MetricsReport, _ paint: Paint) -> String {
        var table = Table(["metrics", report.url.shown(upTo: 400)])
        table.add(["client", "\(report.clientID.shown(upTo: 400))"])
        table.add(["publisher", report.publisher == .program ? "the program" : "the server"])
        table.add(["types", "\(report.types.joined(separator: " ").shown(upTo: 400))"])
        for last in report.last {
            let reason = last.reason.map { ": \($0.shown(upTo: 400))" } ?? ""
            table.add(["\(last.kind.rawValue)", "\(last.word.rawValue) \(Display.time(last.at))\(reason)"])
        }
        return table.text(paint)
    }
}
