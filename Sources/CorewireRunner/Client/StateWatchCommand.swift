import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireHTTP

/// `corewire state watch`: what changes in a namespace, one line each, until interrupted.
///
/// Where the connection is lost it is made again, and goes on with the first change that was not shown.
struct StateWatchCommand {
    static let deeds: Deeds = ["state watch": run]

    private let client: RunnerClient
    private let showing: Showing
    private var feed: EventFeed

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let client = try RunnerClient(invocation)
        let namespace = invocation.argument(0) ?? ""
        var command = StateWatchCommand(
            client: client,
            showing: try Showing(invocation),
            feed: EventFeed(client, "/v1/state/\(namespace.percentEncoded)?watch=true")
        )
        do {
            return try await command.follow()
        } catch let refusal as RunnerRefusal {
            Console.say(refusal.text)
            return .problemsFound
        }
    }

    private mutating func follow() async throws -> ExitStatus {
        while true {
            do {
                guard try await read() else { return .success }
            } catch let failure as Failure where failure.status == .unavailable && feed.last != nil {
                // It was there before, so it may come again; who never was is not waited for.
            }
            try await Clockwork.host.sleep(Self.pause)
        }
    }

    private static let pause = Duration.seconds(1)

    /// Shows one stream to its end; false where nobody listens any more.
    private mutating func read() async throws -> Bool {
        var feed = feed
        defer { self.feed = feed }
        return try await feed.read { event in Console.print(try line(event)) }
    }

    private func line(_ event: ServerSentEvent) throws -> String {
        guard let data = try? JSONValue(parsing: Array(event.data.utf8), named: "event"), let members = data.members,
            let name = event.event?.shown(upTo: 32)
        else { throw Failure.foreign(client.socket) }
        if showing.isJSON { return JSONValue.object([(key: "event", value: .string(name))] + members).text() + "\n" }
        if name == "gap" {
            return showing.paint("… changes are missing here: they are no longer kept", .warning) + "\n"
        }
        return "\(name)  \(data.line("key", upTo: 512) ?? "")  \(data["version"]?.integer ?? 0)\n"
    }
}
