import WireAddonContract
import WireBase
import WireConfig
import WireHTTP

/// `corewire addons`: the programs that take part.
enum AddonCommands {
    static let addons = Command(
        name: "addons",
        summary: "Show the add-ons, what they wrote, and start one again.",
        subcommands: [list, logs, restart, open]
    )

    private static let list = Command.call(
        "list",
        AddonCalls.list,
        summary: "List the add-ons with how they are, and what they have done.",
        discussion: "Exit status: 0 all of them take part, 1 one of them does not."
    ) { reply, paint in
        let addons = reply.answer.addons
        return (AddonText.list(addons, paint), addons.allSatisfy { $0.state == .ready } ? .success : .problemsFound)
    }

    private static let logs = Command(
        name: "logs",
        summary: "Show the last lines that have to do with an add-on.",
        discussion: """
            What it wrote to standard error, what it wrote to standard output that is no message,
            and what became of it. Secrets that it was given are redacted. With --watch it goes on
            until interrupted, across restarts of the add-on and of the runner, and says so where
            lines are missing.
            """,
        arguments: [.init(name: "name", help: "The name of the add-on.")],
        options: RunnerCommands.speaking + [.init(name: "watch", help: "Go on until interrupted.")],
        run: { invocation in
            let showing = try Showing(invocation)
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

    /// Goes on until interrupted, whatever becomes of the add-on and of the runner.
    private static func follow(_ path: String, _ client: RunnerClient, _ showing: Showing) async throws -> ExitStatus {
        func read<Value: JSONRecord>(_ event: ServerSentEvent) throws -> Value {
            let value = try? Value(parsing: Array(event.data.utf8), named: "line", toleratesUnknown: true)
            guard let value else { throw Failure.foreign(client.socket) }
            return value
        }
        var feed = EventFeed(client, "\(path)?watch=true", failing: AddonFailureKind.self)
        return try await feed.follow { event in
            if event.event == "gap" {
                let gap: AddonLineGap = try read(event)
                // Programs that read lines as JSON get lines only, and this beside them.
                let words = "… \(gap.missing) lines are missing here: they are no longer kept\n"
                if showing.isJSON { Console.say(words) }
                return showing.isJSON ? true : Console.print(showing.paint(words, .warning))
            }
            let line: AddonLine = try read(event)
            return Console.print(showing.isJSON ? event.data + "\n" : AddonText.line(line, showing.paint))
        }
    }

    private static let restart = Command.call(
        "restart",
        AddonCalls.restart,
        summary: "End an add-on and start it again, also one that stays ended."
    ) { _, _ in ("it is being restarted: 'corewire addons list' tells how it is\n", .success) }

    private static let open = Command.call(
        "open",
        AddonCalls.open,
        summary: "Have a link opened by whichever add-on opens it.",
        discussion: "Exit status: 0 an add-on has opened it, 1 none has.",
        words: ["url": .argument("url", "The link.")]
    ) { reply, _ in
        guard reply.answer.isOpened else { return ("no add-on opens it\n", .problemsFound) }
        let names = reply.answer.names.map { $0.shown(upTo: 64) }
        return ("opened by \(names.listed("and"))\n", .success)
    }
}
