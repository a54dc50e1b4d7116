import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// `corewire notifications send`: on this machine, or through an embedded push server.
enum NotificationSendCommand {
    static let command: Command = {
        var command = local
        let send = command.run
        command.run = { invocation in
            guard let registrar = invocation.option("via") else { return try await send?(invocation) ?? .internalError }
            return try await Self.send(via: registrar, invocation)
        }
        return command
    }()

    private static let local = Command.call(
        "send",
        NotificationCalls.send,
        summary: "Send a notification.",
        discussion: """
            On this machine: the command returns when the notification is stored. The same --id again
            has no effect, unless the content differs: then the notification is updated. With --via, the
            notification is sent by the embedded push server of a registrar of the file, in environments
            with 'backend: embedded', and arrives as any push.

            Exit status: 0 accepted, also if accepted before; 1 refused.
            """,
        words: [
            "title": .argument("title", "The title; with --via and no body, the text."),
            "body": .argument("body", "Its text."),
        ] + NotificationOptions.content + [
            "urgency": .option(value: "level", "The urgency: low, normal or critical."),
            "expires": .option("The time until the notification expires."),
            "wait": .consumed(NotificationCommands.wait),
            "via": .consumed(
                .init(
                    name: "via",
                    value: "registrar",
                    help: "Send through an embedded push server; the registrar's name in the file.",
                    values: .registrars
                )
            ),
            "category": .consumed(
                .init(
                    name: "category",
                    value: "name",
                    help: "With --via: only to devices with it; else the category.",
                    isRepeated: true
                )
            ),
            "alias": .consumed(
                .init(name: "alias", value: "name", help: "With --via: only to these aliases.", isRepeated: true)
            ),
            "payload": .hidden, "carrier": .hidden, "subtitle": .hidden,
        ],
        prepare: { action, invocation in
            let content = try TypedContent(invocation)
            (action.category, action.data, action.buttons) = (
                invocation.option("category"), content.data, content.buttons
            )
        },
        follow: { client, reply, showing, invocation in
            guard invocation.flag("wait") else { return nil }
            let reply = try await NotificationCommands.detail(of: reply.answer.id, waits: true, client)
            showing.show(reply.json) { NotificationText.detail(reply.answer, showing.paint) }
            return NotificationCommands.status(of: reply.answer)
        }
    ) { reply, _ in
        let word = reply.answer.isNew ? (reply.answer.isUpdate ? " updated" : "") : " was accepted before"
        return ("\(reply.answer.id.shown(upTo: 200))\(word)\n", .success)
    }

    /// Sends a push through an embedded push server.
    private static func send(via registrar: String, _ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let content = try TypedContent(invocation)
        let badge = try invocation.count("badge", in: 0...1_000_000)
        let (first, second) = (invocation.argument(0), invocation.argument(1))
        func text(_ name: String) -> JSONValue? { invocation.option(name).map(JSONValue.string) }
        func list(_ name: String) -> JSONValue? {
            let words = invocation.all(name)
            return words.isEmpty ? nil : .array(words.map(JSONValue.string))
        }
        let order = JSONValue.members([
            "via": .string(registrar), "title": second == nil ? nil : first.map(JSONValue.string),
            "body": (second ?? first).map(JSONValue.string), "categories": list("category"),
            "aliases": list("alias"), "data": content.data,
            "silent": invocation.flag("silent") ? .boolean(true) : nil, "sound": text("sound"),
            "badge": badge.map(JSONValue.integer), "image": text("image"), "link": text("link"),
            "buttons": content.buttons?.jsonValue,
        ])
        let client = try RunnerClient(invocation)
        let answer = try await client.send(.post, "/v1/backends/push", order)
        guard answer.status != .notFound else {
            throw Failure(message: "--via needs an environment with 'backend: embedded'", status: .problemsFound)
        }
        let sent: JSONValue
        do {
            sent = try answer.wellDone(BackendFailureKind.self).json()
        } catch let refusal as RunnerRefusal where refusal.json["body"]?["pointer"]?.string == "/via" {
            throw Failure(message: "--via: \(refusal.json.line("detail") ?? "unknown name")", status: .problemsFound)
        }
        showing.show(sent) { Self.text(sent["devices"]?.integer ?? 0, invocation) }
        return .success
    }

    /// The number of devices; without one, why there is none.
    private static func text(_ devices: Int, _ invocation: Invocation) -> String {
        guard devices == 0 else { return "sent to \(devices.counted("device", "devices"))\n" }
        let (aliases, categories) = (invocation.all("alias"), invocation.all("category"))
        var wanted: [String] = []
        if !aliases.isEmpty { wanted.append("the alias \(aliases.listed())") }
        if !categories.isEmpty { wanted.append("the category \(categories.listed())") }
        let of = wanted.isEmpty ? "" : " with \(wanted.joined(separator: " and "))"
        return "sent to no device: no enabled device\(of) is registered\n"
    }
}
