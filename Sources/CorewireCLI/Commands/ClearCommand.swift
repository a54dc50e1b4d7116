import WireBase
import WireConfig
import WireHTTP
import WireService

/// `corewire clear`: removes the data of services.
enum ClearCommand {
    static let command: Command = {
        var command = clearing
        let run = command.run
        command.run = { invocation in
            do {
                return try await run?(invocation) ?? .internalError
            } catch let refusal as RunnerRefusal {
                // After a partial failure, the removed data are listed as well.
                guard let report = try? ClearingReport.read(answer: refusal.json.bytes()) else { throw refusal }
                try Display(invocation).show(refusal.json) { text(report, isDryRun: invocation.flag("dry-run")) }
                return .problemsFound
            }
        }
        return command
    }()

    private static let clearing = Command.call(
        "clear",
        ClearingCalls.clear,
        summary: "Remove the data of services, and list what was removed.",
        discussion: """
            'user' removes the data of the users of this device in the current environment, and
            signs them out; shared data stays. 'environment' removes all data of the current
            environment, and 'all' the data of all environments. Work in progress ends first. Data
            is erased from the disk; data of the embedded servers stays.

            After an interruption, run the command again. '--dry-run' lists what would be removed,
            without what only servers know, and changes nothing.

            Exit status: 0 removed, 1 some data is left; the output lists it.
            """,
        words: [
            "scope": .argument(
                "scope",
                "user, environment or all.",
                values: .words(["user", "environment", "all"])
            ),
            "services": .consumed(
                .init(name: "service", value: "name", help: "Only of this service.", isRepeated: true)
            ),
            "dryRun": .flag("dry-run", "Count the data only; change nothing.", meaning: "true"),
        ],
        prepare: { request, invocation in
            let services = invocation.all("service")
            request.services = services.isEmpty ? nil : services
        },
        perform: { client, request, _ in
            try await client.perform(ClearingCalls.clear, request, within: RunnerClient.changeLimit)
        },
        follow: { _, reply, showing, invocation in
            showing.show(reply.json) { text(reply.answer, isDryRun: invocation.flag("dry-run")) }
            return .success
        }
    ) { _, _ in ("", .success) }

    /// The services with something to tell.
    private static func text(_ report: ClearingReport, isDryRun: Bool) -> String {
        let services = report.services.map(text).joined()
        guard !services.isEmpty else { return "nothing to remove\n" }
        return (isDryRun ? "would remove:\n" : "") + services
    }

    private static func text(_ service: ClearedService) -> String {
        let name = service.service.shown(upTo: 400)
        let removed = (service.removed ?? []).filter { $0.count > 0 }
        var lines = removed.map { "  \($0.what.shown(upTo: 400)): \($0.count)\n" }
        if let remains = service.remains { lines.append("  may remain: \(remains.shown(upTo: 500))\n") }
        if let reason = service.reason {
            let help = service.help.map { "  help: \($0.shown(upTo: 500))\n" } ?? ""
            let what = service.removed == nil ? "not cleared" : "not all cleared"
            return "\(name): \(what): \(reason.shown(upTo: 500))\n\(help)\(lines.joined())"
        }
        return lines.isEmpty ? "" : "\(name):\n\(lines.joined())"
    }
}
