import WireBase
import WireConfig
import WireHTTP
import WireWorkContract

/// `corewire outbox`: requests that must arrive.
enum OutboxCommands {
    static let outbox = Command(
        name: "outbox",
        summary: "Queue requests for delivery, and manage the queue.",
        subcommands: [list, show, retry, retryAll, drop, move, pause, resume, post, OutboxWatchCommand.command]
    )

    private static let list = Command.call(
        "list",
        OutboxCalls.list,
        summary: "List the queued requests, oldest first.",
        discussion: """
            Shows the target, age, attempts, last error and next attempt of each request, without
            header fields and body.
            """,
        words: [
            "lane": .option(value: "name", "Only requests of this lane."),
            "limit": .consumed(.init(name: "limit", value: "count", help: "The maximum number. (default: 100)")),
            "after": .hidden,
        ],
        perform: { client, request, invocation in
            try await client.list(OutboxCalls.list, request, upTo: invocation.count("limit", in: 1...1_000_000) ?? 100)
        }
    ) { reply, paint in (OutboxText.list(reply.answer, paint), .success) }

    private static let show = Command.call(
        "show",
        OutboxCalls.show,
        summary: "Show a queued request, or the result of an ended one.",
        discussion: "Exit status: 0 queued or delivered, 1 failed, dropped or unknown.",
        words: [
            id.key: id.value, "content": .option("Also show the header fields and the body, secrets redacted."),
        ]
    ) { reply, paint in
        let hasEndedBadly = reply.answer.state == .failed || reply.answer.state == .dropped
        return (OutboxText.entry(reply.answer, paint), hasEndedBadly ? .problemsFound : .success)
    }

    private static let retry = Command.call(
        "retry",
        OutboxCalls.retry,
        summary: "Retry a request now.",
        words: [id.key: id.value],
        done: "retried"
    ) { _, _ in ("retrying now\n", .success) }

    private static let retryAll = Command.call(
        "retry-all",
        OutboxCalls.retryAll,
        summary: "Retry all queued requests now.",
        discussion: "Use it when a server is available again, instead of waiting for the backoff."
    ) { reply, _ in
        let count = reply.answer.count
        return (
            count == 0 ? "no queued requests\n" : "retrying \(count), the first of each lane\n", .success
        )
    }

    private static let drop = Command.call(
        "remove",
        OutboxCalls.drop,
        summary: "Remove a request from the queue.",
        discussion: "A request that is being sent may still reach the server.",
        words: [id.key: id.value],
        done: "dropped"
    ) { _, _ in ("removed\n", .success) }

    private static let move = Command.call(
        "move",
        OutboxCalls.move,
        summary: "Move a request to the end of another lane.",
        discussion: """
            Later requests of the former lane continue. Exit status: 0 moved, 1 unknown request, 75
            the request is being sent.
            """,
        words: [id.key: id.value, "lane": .argument("lane", "The new lane.")],
        done: "moved"
    ) { _, _ in ("moved\n", .success) }

    private static let pause = Command.call(
        "pause",
        OutboxCalls.pause,
        summary: "Pause the outbox or a lane.",
        discussion: "Requests are still accepted. The pause survives a restart of the runner.",
        words: [lane.key: lane.value]
    ) { reply, _ in (OutboxText.pauses(reply.answer), .success) }

    private static let resume = Command.call(
        "resume",
        OutboxCalls.resume,
        summary: "Resume the outbox or a lane.",
        discussion: "A lane that was paused by name must be resumed by name.",
        words: [lane.key: lane.value]
    ) { reply, _ in ("resumed; " + OutboxText.pauses(reply.answer), .success) }

    private static let post = Command.call(
        "post",
        OutboxCalls.post,
        summary: "Queue a request for delivery.",
        discussion: """
            Returns when the request is stored. The runner retries the request until it is
            delivered, across restarts and offline times.

            Exit status: 0 accepted, also if the id was accepted before; 1 rejected.
            """,
        words: [
            "path": .argument("path", "A path below the base URL of the environment, or a URL."),
            "method": .option(value: "name", "The method: POST, PUT, PATCH, DELETE or another. (default: POST)"),
            "type": .consumed(
                .init(name: "type", value: "media-type", help: "The type of the body. (default: application/json)")
            ),
            "headers": .consumed(
                .init(name: "header", value: "name: value", help: "A header field.", isRepeated: true)
            ),
            "lane": .option(
                value: "name",
                "The lane. (default: the signed-in user's, or 'default')"
            ),
            "id": .option("The id, accepted once and sent as Request-ID. (default: a new one)"),
            "authorization": .option(
                value: "whose",
                "The token: usual, none, app, appPlus or user. (default: usual)",
                values: ["usual", "none", "app", "appPlus", "user"]
            ),
            "attempts": .option("The maximum number of attempts. (default: from the services file)"),
            "maxAge": .option("The maximum age. (default: from the services file)"),
            "replace": .option("Replace the queued requests of the lane."),
            "json": .hidden, "text": .hidden, "base64": .hidden, "idHeader": .hidden,
        ],
        arguments: [
            .init(name: "body", help: "The body; '-' reads standard input. (default: none)", isOptional: true)
        ],
        prepare: { request, invocation in try request.takeContent(invocation) }
    ) { reply, _ in
        let id = reply.answer.id.shown(upTo: 400)
        return (reply.answer.isNew ? "queued: \(id)\n" : "\(id) was already accepted\n", .success)
    }

    private static let id = (key: "id", value: MemberWords.argument("id", "The id of the request."))
    private static let lane = (
        key: "lane", value: MemberWords.option(value: "name", "Only this lane. (default: all of the outbox)")
    )
}

extension NewOutboxRequest {
    /// Reads the body and its header fields from the command line.
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

    /// Checks a body that is sent as JSON by default.
    private static func checkJSON(_ body: [UInt8], _ invocation: Invocation) throws {
        var reason = "the body is empty"
        do {
            let value = try JSONValue(parsing: body, named: "body")
            // Empty input is read as null.
            guard case .null = value, !body.contains(UInt8(ascii: "n")) else { return }
        } catch {
            reason = error.problem.message
        }
        throw UsageError(
            "the body is not JSON: \(reason); for another type use, for example, --type text/plain",
            for: invocation.path
        )
    }

    private static func body(_ invocation: Invocation) throws -> [UInt8]? {
        guard let given = invocation.argument(1) else { return nil }
        guard given == "-" else { return Array(given.utf8) }
        // The file's maximum size of a body.
        return try CommandFiles.standardInput(upTo: .mebibytes(8))
    }
}
