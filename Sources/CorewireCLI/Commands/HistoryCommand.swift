import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract

/// `corewire history`: the stored generations, latest first.
enum HistoryCommand {
    static let command = Command.call(
        "history",
        RunnerCalls.generations,
        summary: "List the stored generations, the latest first."
    ) { reply, paint in (text(reply.answer.generations, paint), .success) }

    private static func text(_ generations: [GenerationRecord], _ paint: Paint) -> String {
        guard !generations.isEmpty else { return "no generations\n" }
        var table = Table(["generation", "environment", "started", "action", "requested by", "hash", ""])
        for generation in generations {
            let waits = generation.awaitsConfirmation
            table.add([
                "\(generation.number)",
                "\(Display.environment(generation.environment, at: generation.url) ?? "")",
                "\(Display.time(generation.time))",
                "\(generation.action?.rawValue ?? "")",
                "\(generation.action == .start ? "" : cause(generation.origin))",
                "\(generation.hash.shown(upTo: 400))",
                .init(
                    generation.isCurrent ? (waits ? "current, waits for confirmation" : "current") : "",
                    waits ? .warning : .good
                ),
            ])
        }
        return table.text(paint)
    }

    private static func cause(_ origin: ChangeOrigin) -> String {
        switch origin {
        case .start: "start"
        case .signal: "SIGHUP"
        case .api: "local API"
        case .program: "program"
        case .confirmation: "missing confirmation"
        }
    }
}
