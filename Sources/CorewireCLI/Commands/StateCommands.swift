import WireBase
import WireConfig
import WireHTTP
import WireStateContract

/// `corewire state`: the stored values of apps.
enum StateCommands {
    static let state = Command(
        name: "state",
        summary: "Read and write values of the store.",
        subcommands: [
            StateValueCommands.get, StateValueCommands.set, StateValueCommands.delete, list,
            Command(
                name: "watch",
                summary: "Follow the changes of a namespace.",
                arguments: [namespace],
                options: RunnerCommands.outputOptions,
                run: watch
            ),
        ]
    )

    static let namespace = Command.Argument(name: "namespace", help: "The namespace.")

    // MARK: Lists

    private static let list = Command(
        name: "list",
        summary: "List namespaces, or the keys of one.",
        arguments: [.init(name: "namespace", help: "The namespace.", isOptional: true)],
        options: RunnerCommands.outputOptions + [
            .init(name: "prefix", value: "text", help: "Only keys with this prefix.")
        ]
    ) { invocation in
        let showing = try Display(invocation)
        let client = try RunnerClient(invocation)
        let page = StatePage(prefix: invocation.option("prefix"))
        if let namespace = invocation.argument(0) {
            let reply = try await client.list(StateCalls.entries, StateEntriesRequest(namespace, page))
            showing.show(reply.json) { entries(reply.answer.entries, showing.paint) }
        } else {
            let reply = try await client.list(StateCalls.namespaces, page)
            showing.show(reply.json) { namespaces(reply.answer.namespaces, showing.paint) }
        }
        return .success
    }

    private static func namespaces(_ namespaces: [StateNamespace], _ paint: Paint) -> String {
        guard !namespaces.isEmpty else { return "no values\n" }
        var table = Table(["namespace", "entries", "size", ""])
        for namespace in namespaces {
            table.add([
                "\(namespace.name.shown(upTo: 400))", "\(namespace.entries)", "\(ByteCount.bytes(namespace.size))",
                namespace.isEncrypted ? "encrypted" : "",
            ])
        }
        return table.text(paint)
    }

    private static func entries(_ entries: [StateEntry], _ paint: Paint) -> String {
        guard !entries.isEmpty else { return "no values\n" }
        var table = Table(["key", "version", "size", "type", "written", "expires"])
        for entry in entries {
            table.add([
                "\(entry.key.shown(upTo: 512))", "\(entry.version)", "\(entry.size)B",
                "\(entry.type.shown(upTo: 400))", "\(Display.time(entry.modified))",
                "\(Display.time(entry.expires))",
            ])
        }
        return table.text(paint)
    }

    // MARK: Changes

    /// Reconnects after a lost connection, and continues with the first change that was not shown.
    private static func watch(_ invocation: Invocation) async throws -> ExitStatus {
        let client = try RunnerClient(invocation)
        let showing = try Display(invocation)
        let request = StateEntriesRequest(invocation.argument(0) ?? "")
        var feed = EventFeed(client, StateCalls.entries, request)
        return try await feed.follow { event in
            guard let line = line(event, showing) else { throw Failure.foreign(client.socket) }
            return Console.print(line)
        }
    }

    private static func line(_ event: ServerSentEvent, _ showing: Display) -> String? {
        let bytes = Array(event.data.utf8)
        guard let name = event.event?.shown(upTo: 32),
            let json = try? JSONValue(parsing: bytes, named: "event"), let members = json.members
        else { return nil }
        if showing.isJSON { return JSONValue.object([(key: "event", value: .string(name))] + members).text() + "\n" }
        if name == "gap" {
            return showing.paint("… changes are missing here: they were dropped", .warning) + "\n"
        }
        guard let change = try? StateChange(parsing: bytes, named: "event", toleratesUnknown: true) else {
            return nil
        }
        return "\(name)  \(change.key.shown(upTo: 512))  \(change.version)\n"
    }
}
