import WireBase
import WireHost
import WireHTTP

/// `corewire events`: past events, and new ones with `--watch`.
enum EventsCommand {
    static let command = Command(
        name: "events",
        summary: "Show past events, and new ones with --watch.",
        discussion: """
            Prints the stored events, one per line; with --format json each line is an object. With
            --watch, continues until interrupted, across restarts of the runner, and reports dropped
            events. docs/local-api.md lists all events.
            """,
        options: RunnerCommands.outputOptions + [
            .init(name: "watch", help: "Continue until interrupted."),
            .init(name: "name", value: "prefix", help: "Only events with this prefix, such as 'service.'."),
            .init(
                name: "since",
                value: "time",
                help: "Only events since a time: a period such as 10m, or a time in UTC such as 2026-11-26T15:04."
            ),
            .init(name: "last", value: "number", help: "The number of latest stored events to show."),
            .init(name: "after", value: "id", help: "Only events after this id, from --format json."),
        ],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let after = invocation.option("after")
        if let after, UInt64(after) == nil || !after.utf8.allSatisfy(\.isDigit) {
            throw UsageError("--after takes the id of an event, not \(after.quoted)", for: invocation.path)
        }
        let (since, count) = (try since(invocation), try invocation.count("last", in: 1...1_000_000))
        let client = try RunnerClient(invocation)
        let (name, follows) = (invocation.option("name") ?? "", invocation.flag("watch"))
        let query = "name=\(name.percentEncoded)&follow="
        func read(_ event: ServerSentEvent) throws -> EventText {
            guard let text = EventText(event) else { throw Failure.foreign(client.socket) }
            return text
        }
        func show(_ text: EventText) -> Bool { Console.print(showing.isJSON ? text.json : text.text(showing.paint)) }
        var kept = EventFeed(eventsOf: client, query + "false", after: after)
        var latest: [EventText] = []
        let isRead = try await kept.read { event in
            let text = try read(event)
            guard text.isSince(since) else { return true }
            guard count != nil else { return show(text) }
            latest.append(text)
            return true
        }
        guard isRead, latest.suffix(count ?? 0).allSatisfy(show), follows else { return .success }
        var feed = EventFeed(eventsOf: client, query + "true", after: kept.last, wasThere: true)
        return try await feed.follow { event in
            let text = try read(event)
            return text.isSince(since) ? show(text) : true
        }
    }

    /// The time of `--since` in the form of events, or a prefix of that.
    private static func since(_ invocation: Invocation) throws -> String? {
        guard let text = invocation.option("since") else { return nil }
        if let period = try? Duration.read(plain: text) {
            let then = Double(TimeSource.host.wall()) - period.inSeconds * 1_000
            return "\(Timestamp(milliseconds: Int64(max(then, 0))))"
        }
        let day = /[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])/
        let time = /([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,3})?)?Z?/
        let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].wholeMatch(of: day) != nil, parts.count == 1 || parts[1].wholeMatch(of: time) != nil else {
            throw UsageError(
                "--since takes a period such as 10m, or a time in UTC such as 2026-11-26T15:04, not \(text.quoted)",
                for: invocation.path
            )
        }
        return text.hasSuffix("Z") ? String(text.dropLast()) : text
    }
}
