import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP

/// `corewire device`: the registration of this device.
enum DeviceCommands {
    static let device = Command(
        name: "device",
        summary: "Show and change the registration of this device.",
        subcommands: [show, tag, untag, set, register, remove]
    )

    private static let show = Command.call(
        "show",
        DeviceCalls.show,
        summary: "Show the device and its registration.",
        show: text
    )

    private static let tag = Command.call(
        "tag",
        DeviceCalls.tag,
        summary: "Set a tag of the device.",
        words: ["name": .argument("name", "The name of the tag."), "value": .argument("value", "The value.")],
        show: text
    )

    private static let untag = Command.call(
        "untag",
        DeviceCalls.untag,
        summary: "Remove a tag of the device.",
        show: text
    )

    private static let set = Command.call(
        "set",
        DeviceCalls.change,
        summary: "Change the alias, the e-mail address or a push token of the device.",
        discussion: """
            Values set in the services file can be changed only there. A token is read from standard
            input, because command lines are visible to other users.
            """,
        words: [
            "alias": .option(value: "name", "The alias; '' generates a new one."),
            "email": .option(value: "address", "The email address of the user; '' removes it."),
            "token": .consumed(
                .init(name: "token", value: "platform", help: "Set the push token of a platform; '' removes it.")
            ),
            "tags": .hidden, "tokens": .hidden,
        ],
        prepare: { change, invocation in
            if let platform = invocation.option("token") {
                change.tokens = JSONMap([(name: platform, value: try Nullable<String>.read(plain: token()))])
            }
            guard change.alias != nil || change.email != nil || change.tokens != nil else {
                throw UsageError("expected --alias, --email or --token", for: invocation.path)
            }
        },
        show: text
    )

    private static let register = Command.call(
        "register",
        DeviceCalls.register,
        summary: "Save the device at the server.",
        discussion: "Exit status: 0 queued, 1 the services file has 'register: never'.",
        // Code that may change the device takes time.
        perform: { client, input, _ in
            try await client.perform(DeviceCalls.register, input, within: RunnerClient.changeLimit)
        },
        show: text
    )

    private static let remove = Command.call(
        "remove",
        DeviceCalls.remove,
        summary: "Delete the device on this machine, and at servers that support it.",
        discussion: "The device stays deleted until 'corewire device register'.",
        done: "removed"
    ) { _, _ in ("removed\n", .success) }

    private static func text(_ reply: RunnerReply<DeviceReport>, _ paint: Paint) -> (text: String, status: ExitStatus) {
        let device = reply.answer
        var table = Table(["device", device.alias.shown(upTo: 256)])
        if let id = device.id { table.add(["id", "\(id.shown(upTo: 400))"]) }
        if let email = device.email { table.add(["email", "\(email.shown(upTo: 256))"]) }
        let since = Display.time(device.since)
        table.add(["server", "\(device.registration.rawValue)\(since.isEmpty ? "" : " since \(since)")"])
        if let reason = device.reason { table.add(["", .init(reason.shown(upTo: 256), .warning)]) }
        for token in device.tokens {
            table.add(["token", "\(token.platform.shown(upTo: 400)) …\(token.ending.shown(upTo: 400))"])
        }
        for tag in device.tags {
            let value = tag.value.map { ": \($0.shown(upTo: 256))" } ?? ""
            let kind = tag.kind == .system ? " (system)" : ""
            table.add(["tag", "\(tag.name.shown(upTo: 128))\(value)\(kind)"])
        }
        return (table.text(paint), .success)
    }

    private static func token() throws -> String {
        let bytes = try CommandFiles.standardInput(upTo: .kibibytes(16))
        return String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
    }
}
