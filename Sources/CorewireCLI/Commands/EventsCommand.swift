import WireBase
import WireHTTP

/// `corewire events`: what happened, and with `--watch` what happens.
enum EventsCommand {
    static let command = Command(
        name: "events",
        summary: "Show what happened, and with --watch what happens.",
        discussion: """
            Prints the events the runner keeps, one a line; with --format json each line is an object.
            With --watch it goes on until interrupted, across runners that end and are started again,
            and says so where events are missing.
            """,
        options: RunnerCommands.speaking + [
            .init(name: "watch", help: "Go on until interrupted."),
            .init(name: "name", value: "prefix", help: "Only events whose names begin so: 'service.', 'generation.'."),
            .init(name: "after", value: "id", help: "Only events after this one, by the id that --format json shows."),
        ],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Showing(invocation)
        let after = invocation.option("after")
        if let after, UInt64(after) == nil || !after.utf8.allSatisfy(\.isDigit) {
            throw UsageError("--after takes the id of an event, not \(after.quoted)", for: invocation.path)
        }
        let client = try RunnerClient(invocation)
        let (name, follows) = (invocation.option("name") ?? "", invocation.flag("watch"))
        let path = "/v1/events?name=\(name.percentEncoded)&follow="
        func show(_ event: ServerSentEvent) throws -> Bool {
            guard let text = EventText(event) else { throw Failure.foreign(client.socket) }
            return Console.print(showing.isJSON ? text.json : text.text(showing.paint))
        }
        var kept = EventFeed(client, path + "false", after: after)
        guard try await kept.read(show), follows else { return .success }
        var feed = EventFeed(client, path + "true", after: kept.last, wasThere: true)
        return try await feed.follow(show)
    }
}
