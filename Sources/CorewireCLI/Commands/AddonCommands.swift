import WireAddonContract
import WireBase
import WireConfig
import WireHTTP

/// `corewire addons`: the add-ons of the runner.
enum AddonCommands {
    static let addons = Command(
        name: "addons",
        summary: "Show the add-ons and their output, and restart them.",
        subcommands: [list, logs, restart, open]
    )

    private static let list = Command.call(
        "list",
        AddonCalls.list,
        summary: "List the add-ons with their state and counters.",
        discussion: "Exit status: 0 all add-ons run, 1 an add-on does not run."
    ) { reply, paint in
        let addons = reply.answer.addons
        return (AddonText.list(addons, paint), addons.allSatisfy { $0.state == .ready } ? .success : .problemsFound)
    }

    private static let logs = Command(
        name: "logs",
        summary: "Show the last output lines and state changes of an add-on.",
        discussion: """
            Prints standard error, lines of standard output that are not messages, and state
            changes. Secrets of the add-on are redacted. With --watch, the command continues until
            interrupted, across restarts of the add-on and of the runner, and reports dropped lines.
            """,
        arguments: [.init(name: "name", help: "The name of the add-on.")],
        options: RunnerCommands.outputOptions + [.init(name: "watch", help: "Continue until interrupted.")],
        run: { invocation in
            let showing = try Display(invocation)
            let client = try RunnerClient(invocation)
            let path = "/v1/addons/\((invocation.argument(0) ?? "").percentEncoded)/log"
            if invocation.flag("watch") { return try await follow(path, client, showing) }
            let answer = try await client.ask(.get, path).wellDone(AddonFailureKind.self)
            let json = try answer.json()
            let lines = try answer.value(AddonLines.self).lines
            showing.show(json) { AddonText.lines(lines, showing.paint) }
            return .success
        }
    )

    /// Continues until interrupted, across restarts of the add-on and of the runner.
    private static func follow(_ path: String, _ client: RunnerClient, _ showing: Display) async throws -> ExitStatus {
        func read<Value: JSONRecord>(_ event: ServerSentEvent) throws -> Value {
            let value = try? Value(parsing: Array(event.data.utf8), named: "line", toleratesUnknown: true)
            guard let value else { throw Failure.foreign(client.socket) }
            return value
        }
        var feed = EventFeed(client, "\(path)?watch=true", failing: AddonFailureKind.self)
        return try await feed.follow { event in
            if event.event == "gap" {
                let gap: AddonLineGap = try read(event)
                // Programs that parse JSON lines get the gap on standard error.
                let words = "… \(gap.missing) lines are missing here: they were dropped\n"
                if showing.isJSON { Console.printError(words) }
                return showing.isJSON ? true : Console.print(showing.paint(words, .warning))
            }
            let line: AddonLine = try read(event)
            return Console.print(showing.isJSON ? event.data + "\n" : AddonText.line(line, showing.paint))
        }
    }

    private static let restart = Command.call(
        "restart",
        AddonCalls.restart,
        summary: "Restart an add-on."
    ) { _, _ in ("restarting; see 'corewire addons list'\n", .success) }

    private static let open = Command.call(
        "open",
        AddonCalls.open,
        summary: "Open a link with the add-on that handles it.",
        discussion: "Exit status: 0 an add-on has opened it, 1 none has.",
        words: ["url": .argument("url", "The link.")]
    ) { reply, _ in
        guard reply.answer.isOpened else { return ("no add-on handles the link\n", .problemsFound) }
        let names = reply.answer.names.map { $0.shown(upTo: 64) }
        return ("opened by \(names.listed("and"))\n", .success)
    }
}
