import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire state watch`: what changes in a namespace, one line each, until interrupted.
///
/// Where the connection is lost it is made again, and goes on with the first change that was not shown.
struct StateWatchCommand {
    static let deeds: Deeds = ["state watch": run]

    private let client: RunnerClient
    private let showing: Showing

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let command = StateWatchCommand(client: try RunnerClient(invocation), showing: try Showing(invocation))
            let namespace = invocation.argument(0) ?? ""
            var feed = EventFeed(command.client, "/v1/state/\(namespace.percentEncoded)?watch=true")
            return try await feed.follow { event in Console.print(try command.line(event)) }
        }
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
