import WireBase
import WireConfig
import WireHTTP
import WireService

/// `corewire clear`: what services keep is removed.
enum ClearCommand {
    static let command: Command = {
        var command = clearing
        let run = command.run
        command.run = { invocation in
            do {
                return try await run?(invocation) ?? .internalError
            } catch let refusal as RunnerRefusal {
                // Where some of it is still there, what is gone is told all the same.
                guard let report = try? ClearingReport.read(answer: refusal.json.bytes()) else { throw refusal }
                try Showing(invocation).show(refusal.json) { text(report) }
                return .problemsFound
            }
        }
        return command
    }()

    private static let clearing = Command.call(
        "clear",
        ClearingCalls.clear,
        summary: "Remove what services keep, and say what it was.",
        discussion: """
            'user' removes what is of the people who use the device, in the environment that runs, and
            signs them out; what they share stays. 'environment' removes whatever is kept for the
            environment that runs, and 'all' for every environment. What is under way ends first.
            Nothing of it is left on the disk; the servers built in keep what is theirs.

            Broken off at any moment, it goes on when it is asked again.

            Exit status: 0 removed, 1 something is still there, and the answer says what.
            """,
        words: [
            "scope": .argument(
                "scope",
                "user, environment or all.",
                values: .words(["user", "environment", "all"])
            ),
            "services": .own(
                .init(name: "service", value: "name", help: "Only of this service.", isRepeated: true)
            ),
        ],
        prepare: { request, invocation in
            let services = invocation.all("service")
            request.services = services.isEmpty ? nil : services
        },
        perform: { client, request, _ in
            try await client.perform(ClearingCalls.clear, request, within: RunnerClient.changeLimit)
        }
    ) { reply, _ in (text(reply.answer), .success) }

    private static func text(_ report: ClearingReport) -> String { report.services.map(text).joined() }

    private static func text(_ service: ClearedService) -> String {
        let name = service.service.shown(upTo: 400)
        if let reason = service.reason {
            let help = service.help.map { "  help: \($0.shown(upTo: 500))\n" } ?? ""
            return "\(name): still there: \(reason.shown(upTo: 500))\n\(help)"
        }
        let removed = (service.removed ?? []).map { "  \($0.what.shown(upTo: 400)): \($0.count)\n" }
        return "\(name):\n\(removed.joined())"
    }
}
