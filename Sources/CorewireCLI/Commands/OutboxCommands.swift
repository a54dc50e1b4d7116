import WireBase
import WireConfig
import WireHTTP
import WireWorkContract

/// `corewire outbox`: requests that must arrive.
enum OutboxCommands {
    static let outbox = Command(
        name: "outbox",
        summary: "Send requests for certain, and look after those that wait.",
        subcommands: [list, show, retry, retryAll, drop, move, pause, resume, post, OutboxWatchCommand.command]
    )

    private static let list = Command.call(
        "list",
        OutboxCalls.list,
        summary: "List the requests that wait, oldest first.",
        discussion: """
            Shows where each goes, for how long it has waited, how often it was tried, why it was not
            sent the last time and when it is tried again; never its fields or its body.
            """,
        words: [
            "lane": .option(value: "name", "Only what waits in this line."),
            "limit": .own(.init(name: "limit", value: "count", help: "How many at most. (default: 100)")),
            "after": .hidden,
        ],
        perform: { client, request, invocation in
            try await client.list(OutboxCalls.list, request, upTo: invocation.count("limit", in: 1...1_000_000) ?? 100)
        }
    ) { reply, paint in (OutboxText.list(reply.answer, paint), .success) }

    private static let show = Command.call(
        "show",
        OutboxCalls.show,
        summary: "Show how it is with a request, or what became of it.",
        discussion: "Exit status: 0 it waits or has arrived, 1 it has failed, was dropped, or is not known.",
        words: [
            id.key: id.value, "content": .option("Show its fields and its body too, secrets redacted."),
        ]
    ) { reply, paint in
        let hasEndedBadly = reply.answer.state == .failed || reply.answer.state == .dropped
        return (OutboxText.entry(reply.answer, paint), hasEndedBadly ? .problemsFound : .success)
    }

    private static let retry = Command.call(
        "retry",
        OutboxCalls.retry,
        summary: "Try a request now instead of at its time.",
        words: [id.key: id.value],
        done: "retried"
    ) { _, _ in ("it is tried now\n", .success) }

    private static let retryAll = Command.call(
        "retry-all",
        OutboxCalls.retryAll,
        summary: "Try every request that waits now instead of at its time.",
        discussion: "For when a server is back: requests that failed wait longer after each attempt."
    ) { reply, _ in
        let count = reply.answer.count
        return (
            count == 0 ? "nothing waits for its time\n" : "tried now: \(count), each the first of its lane\n", .success
        )
    }

    private static let drop = Command.call(
        "remove",
        OutboxCalls.drop,
        summary: "Let go of a request, which will then never arrive.",
        discussion: "One that is under way may have arrived already.",
        words: [id.key: id.value],
        done: "dropped"
    ) { _, _ in ("dropped\n", .success) }

    private static let move = Command.call(
        "move",
        OutboxCalls.move,
        summary: "Let a request wait at the end of another lane.",
        discussion: """
            What waited behind it in its former lane goes on. Exit status: 0 moved, 1 not known, 75 it is
            being sent.
            """,
        words: [id.key: id.value, "lane": .argument("lane", "The lane it is to wait in.")],
        done: "moved"
    ) { _, _ in ("moved\n", .success) }

    private static let pause = Command.call(
        "pause",
        OutboxCalls.pause,
        summary: "Send nothing more until 'corewire outbox resume'.",
        discussion: "Requests are still taken. The pause outlives the runner.",
        words: [lane.key: lane.value]
    ) { reply, _ in (OutboxText.pauses(reply.answer), .success) }

    private static let resume = Command.call(
        "resume",
        OutboxCalls.resume,
        summary: "Send again what was paused.",
        discussion: "A lane that was paused by itself is resumed by itself.",
        words: [lane.key: lane.value]
    ) { reply, _ in ("resumed; " + OutboxText.pauses(reply.answer), .success) }

    private static let post = Command.call(
        "post",
        OutboxCalls.post,
        summary: "Send a request for certain.",
        discussion: """
            Answered when the request is on the disk: it is sent until it has arrived, over ends of
            the runner and of the network.

            Exit status: 0 taken, also where one with its id was taken before; 1 refused.
            """,
        words: [
            "path": .argument("path", "Below the base URL of the environment, or a whole URL."),
            "method": .option(value: "name", "POST, PUT, PATCH, DELETE or another. (default: POST)"),
            "type": .own(
                .init(name: "type", value: "media-type", help: "What the body is. (default: application/json)")
            ),
            "headers": .own(
                .init(name: "header", value: "name: value", help: "A field to send along.", isRepeated: true)
            ),
            "lane": .option(
                value: "name",
                "What it waits in line with. (default: the signed-in user's, or 'default')"
            ),
            "id": .option("Never taken twice, and sent as Request-ID. (default: a new one)"),
            "authorization": .option(
                value: "whose",
                "Whose token goes along: usual, none, app, appPlus or user. (default: usual)",
                values: ["usual", "none", "app", "appPlus", "user"]
            ),
            "attempts": .option("How often it is tried. (default: as the file says)"),
            "maxAge": .option("How long it may wait. (default: as the file says)"),
            "replace": .option("Take the place of the requests of its lane that wait."),
            "json": .hidden, "text": .hidden, "base64": .hidden, "idHeader": .hidden,
        ],
        arguments: [
            .init(name: "body", help: "The body; '-' reads standard input. (default: none)", isOptional: true)
        ],
        prepare: { request, invocation in try request.takeContent(invocation) }
    ) { reply, _ in
        let id = reply.answer.id.shown(upTo: 400)
        return (reply.answer.isNew ? "taken: \(id)\n" : "\(id) was taken before\n", .success)
    }

    private static let id = (key: "id", value: MemberWords.argument("id", "The id of the request."))
    private static let lane = (
        key: "lane", value: MemberWords.option(value: "name", "Only this lane. (default: all of the outbox)")
    )
}

extension OutboxPost {
    /// Takes the body and its header fields from the command line.
    fileprivate mutating func takeContent(_ invocation: Invocation) throws {
        let body = try Self.body(invocation)
        var fields = Fields()
        if body != nil { fields["Content-Type"] = invocation.option("type") ?? "application/json" }
        for header in invocation.all("header") {
            guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else {
                throw UsageError("--header takes 'name: value', not \(header.quoted)", for: invocation.path)
            }
            fields[String(header[..<colon])] = String(header[header.index(after: colon)...].drop { $0 == " " })
        }
        let isTyped = invocation.argument(1) != "-"
        if let body, isTyped, invocation.option("type") == nil, fields["Content-Type"] == "application/json" {
            try Self.checkJSON(body, invocation)
        }
        if !fields.all.isEmpty { headers = HeaderFields(fields) }
        text = body.flatMap { String(validating: $0, as: UTF8.self) }
        if text == nil { base64 = body.map(Base64Bytes.init) }
    }

    /// What was typed, and is sent as JSON because nothing else was said, has to be that.
    private static func checkJSON(_ body: [UInt8], _ invocation: Invocation) throws {
        var reason = "it is empty"
        do {
            let value = try JSONValue(parsing: body, named: "body")
            // Nothing at all is read as null.
            guard case .null = value, !body.contains(UInt8(ascii: "n")) else { return }
        } catch {
            reason = error.problem.message
        }
        throw UsageError(
            "the body is not JSON: \(reason); where it is meant to be something else, say so: --type text/plain",
            for: invocation.path
        )
    }

    private static func body(_ invocation: Invocation) throws -> [UInt8]? {
        guard let given = invocation.argument(1) else { return nil }
        guard given == "-" else { return Array(given.utf8) }
        // As large as the file lets a body be.
        return try CommandFiles.standardInput(upTo: .mebibytes(8))
    }
}
