import CorewireCLI
import WireBase
import WireConfig

/// `corewire history`: the generations that are kept, latest first.
enum HistoryCommand {
    static let deeds: Deeds = ["history": run]

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Showing(invocation)
        let client = try RunnerClient(invocation)
        let json = try await client.get("/v1/generations")
        guard let generations = json["generations"]?.array else { throw Failure.foreign(client.socket) }
        showing.show(json) { text(generations, showing.paint) }
        return .success
    }

    private static func text(_ generations: [JSONValue], _ paint: Paint) -> String {
        guard !generations.isEmpty else { return "no generation is kept\n" }
        var table = Table(["generation", "environment", "made", "because of", "hash", ""])
        for generation in generations {
            let isCurrent = generation["current"]?.boolean ?? false
            let waits = generation["awaitsConfirmation"]?.boolean ?? false
            table.add([
                "\(generation["generation"]?.integer ?? 0)",
                "\(generation.environment ?? "")",
                "\(Showing.time(generation["time"]?.integer))",
                "\(cause(generation.line("origin") ?? ""))",
                "\(generation.line("hash") ?? "")",
                .init(isCurrent ? (waits ? "runs, waits to be confirmed" : "runs") : "", waits ? .warning : .good),
            ])
        }
        return table.text(paint)
    }

    private static func cause(_ origin: String) -> String {
        switch origin {
        case "start": "start"
        case "signal": "SIGHUP"
        case "api": "local API"
        case "program": "program"
        case "confirmation": "no confirmation"
        default: origin
        }
    }
}
