import WireBase
import WireConfig
import WireHTTP
import WireSyncContract

/// `corewire sync queue`: queued mutations.
enum SyncQueueCommands {
    static let queue = Command.call(
        "queue",
        SyncCalls.queue,
        summary: "List the queued mutations, or show and change one.",
        words: [
            "ended": .option("Also list mutations that have ended within a day."),
            "newest": .option("List the newest first."),
            "limit": .consumed(.init(name: "limit", value: "count", help: "The maximum number. (default: 100)")),
            "after": .hidden,
        ],
        subcommands: [show, drop, resolve],
        perform: { client, request, invocation in
            try await client.list(SyncCalls.queue, request, upTo: invocation.count("limit", in: 1...1_000_000) ?? 100)
        }
    ) { reply, paint in (SyncText.queue(reply.answer, paint), .success) }

    private static let show = Command.call(
        "show",
        SyncCalls.queued,
        summary: "Show a queued mutation, or one that has ended within a day.",
        discussion: "Exit status: 0 queued or confirmed, 1 failed or unknown.",
        words: [id.key: id.value]
    ) { reply, paint in
        (SyncText.queued(reply.answer, paint), reply.answer.state == .failed ? .problemsFound : .success)
    }

    private static let drop = Command.call(
        "remove",
        SyncCalls.drop,
        summary: "Remove a mutation from the queue.",
        discussion: "A mutation that is being sent may still reach the server.",
        words: [id.key: id.value],
        done: "removed"
    ) { _, _ in ("removed\n", .success) }

    private static let resolve = Command.call(
        "resolve",
        SyncCalls.resolve,
        summary: "Resolve the conflict of a queued mutation.",
        discussion: """
            'client' sends the mutation with all its values. 'server' keeps the server's values of
            fields that both sides have changed. --variables sends other values.
            """,
        words: [
            id.key: id.value, "side": .hidden, "variables": .consumed(SyncCommands.variablesOption),
            "var": .consumed(SyncCommands.variableOption),
        ],
        arguments: [
            Command.Argument(
                name: "side",
                help: "The values to use: client or server; instead of --variables.",
                isOptional: true,
                values: .words(SyncSide.allCases.map(\.rawValue))
            )
        ],
        prepare: { input, invocation in
            input.variables = try SyncCommands.Asked.variables(invocation)
            if let text = invocation.argument(1) {
                guard let side = SyncSide(rawValue: text) else {
                    throw UsageError(
                        "<side> is 'client' or 'server', not \(text.shown(upTo: 60).quoted)",
                        for: invocation.path
                    )
                }
                input.side = side
            }
            guard (input.side == nil) != (input.variables == nil) else {
                throw UsageError("expected either <side> or --variables", for: invocation.path)
            }
        }
    ) { reply, paint in (SyncText.queued(reply.answer, paint), .success) }

    private static let id = (key: "id", value: MemberWords.argument("id", "The id of the mutation."))
}

extension SyncText {
    static func queue(_ queue: SyncQueue, _ paint: Paint) -> String {
        let mutations = queue.mutations
        guard !mutations.isEmpty else { return "no queued mutations\n" }
        var table = Table(["state", "id", "operation", "made", "fields", "reason"])
        for mutation in mutations {
            table.add([
                .init(mutation.state.rawValue, look(of: mutation.state)), "\(mutation.id.shown(upTo: 64))",
                "\((mutation.operation ?? "").shown(upTo: 64))", "\(Timestamp(milliseconds: mutation.made))",
                "\((mutation.conflict?.fields ?? []).joined(separator: ", ").shown(upTo: 100))",
                "\((mutation.reason ?? "").shown(upTo: 120))",
            ])
        }
        let more = queue.next == nil ? "" : paint("more exist: raise --limit", .faint) + "\n"
        return table.text(paint) + more
    }

    static func queued(_ mutation: SyncQueued, _ paint: Paint) -> String {
        var lines = ["\(mutation.id.shown(upTo: 200)): \(paint(mutation.state.rawValue, look(of: mutation.state)))"]
        if let operation = mutation.operation { lines.append("operation: \(operation.shown(upTo: 100))") }
        lines.append("made: \(Timestamp(milliseconds: mutation.made))")
        lines.append("lane: \(mutation.lane.shown(upTo: 200))")
        if let reason = mutation.reason { lines.append("reason: \(reason.shown(upTo: 400))") }
        if let temporary = mutation.temporaryID {
            let real = mutation.realID.map { $0.string ?? $0.text() } ?? "unknown"
            lines.append("id of the new object: \(temporary.shown(upTo: 64)), at the server \(real.shown(upTo: 64))")
        }
        if let deadline = mutation.deadline { lines.append("deadline: \(Timestamp(milliseconds: deadline))") }
        for field in mutation.conflict?.fields ?? [] {
            let (client, server) = (mutation.conflict?.client[field], mutation.conflict?.server?[field])
            lines.append(
                "  \(field.shown(upTo: 64)): client \(shown(client)), server \(shown(server)), before \(shown(mutation.conflict?.base?[field]))"
            )
        }
        for resolution in mutation.resolutions ?? [] {
            let decided = resolution.isByCaller ? " by a caller" : ""
            let head = "resolved\(decided) at \(Timestamp(milliseconds: resolution.time))"
            let fields = resolution.fields.isEmpty ? "no field" : resolution.fields.joined(separator: ", ")
            lines.append("\(head): \(resolution.strategy.rawValue)")
            lines.append("  changed on both sides: \(fields.shown(upTo: 200))")
            let overwritten = resolution.overwritten.map { field in
                "\(field.shown(upTo: 64)), at the server \(shown(resolution.replaced?[field]))"
            }
            lines.append("  overwritten: \(overwritten.isEmpty ? "nothing" : overwritten.joined(separator: "; "))")
        }
        if let variables = mutation.variables { lines.append("variables: \(variables.text().shown(upTo: 2_000))") }
        return lines.map { "\($0)\n" }.joined()
    }

    private static func shown(_ value: JSONValue?) -> String { (value?.text() ?? "-").shown(upTo: 100) }

    private static func look(of state: MutationState) -> Paint.Tint {
        switch state {
        case .confirmed: .good
        case .accepted, .sent: .faint
        case .conflict: .warning
        case .failed: .error
        }
    }
}
