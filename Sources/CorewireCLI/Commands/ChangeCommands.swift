import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract

/// The commands that make or plan the next generation: `reload`, `env use`, `rollback`, `plan`, `confirm`.
enum ChangeCommands {
    static let reload = changing(
        "reload",
        RunnerCalls.reload,
        summary: "Read the file again, and start the next generation from it.",
        discussion: """
            A file that is not valid, or a service that does not become ready, changes nothing.
            Listening sockets stay open.

            Exit status: 0 applied or unchanged, 1 refused.
            """,
        words: [
            "confirm-within": confirmWithin,
            "force": .option("Also restart unchanged services."),
            "if-hash": .consumed(
                .init(
                    name: "if-hash",
                    value: "hash",
                    help: "Only if the running configuration has this hash, as 'corewire status' shows it."
                )
            ),
            "confirmWithinSeconds": .hidden, "If-Match": .hidden,
        ]
    )

    /// A subcommand of `corewire env`.
    static let use = changing(
        "use",
        RunnerCalls.use,
        summary: "Switch the runner to another environment.",
        discussion: """
            The present environment continues until the services of the other are ready, also
            where they do not become ready. The choice survives a restart of the runner.

            Exit status: 0 applied or unchanged, 1 refused.
            """,
        words: [
            "environment": .argument(
                "environment",
                "The name, or the URL of one that is not declared.",
                values: .environments
            ),
            "confirm-within": confirmWithin,
            "force": .hidden, "confirmWithinSeconds": .hidden, "If-Match": .hidden,
        ]
    )

    static let rollback = changing(
        "rollback",
        RunnerCalls.rollback,
        summary: "Start the next generation from the configuration of an earlier one.",
        discussion: "The services file stays as it is: the next reload reads it again.",
        words: [
            "generation": .argument("generation", "The number, as 'corewire history' lists it."),
            "confirm-within": confirmWithin,
            "force": .hidden, "confirmWithinSeconds": .hidden, "If-Match": .hidden,
        ]
    )

    static let plan = changing(
        "plan",
        RunnerCalls.plan,
        summary: "Show what a reload, a switch or a rollback would do, without doing it.",
        discussion: """
            Without an option: a reload. For each service: whether it is kept, rebound, restarted,
            started or stopped, and its requests in flight; for each setting: the old and the new value.
            """,
        words: [
            "env": .consumed(
                .init(name: "env", value: "name", help: "Plan the switch to an environment.", values: .environments)
            ),
            "generation": .option(value: "number", "Plan the return to a generation."),
            "environment": .hidden, "force": .hidden, "confirmWithinSeconds": .hidden, "If-Match": .hidden,
        ]
    ) { request, invocation in
        request.environment = invocation.option("env")
        guard request.environment == nil || request.generation == nil else {
            throw UsageError("--env and --generation exclude each other", for: invocation.path)
        }
    }

    static let confirm = Command.call(
        "confirm",
        RunnerCalls.confirm,
        summary: "Confirm the present generation.",
        discussion: "Exit status: 0 confirmed, 1 no generation waits.",
        perform: { client, input, invocation in
            let reply = try await client.perform(RunnerCalls.confirm, input, within: RunnerClient.changeLimit)
            if !reply.answer.isConfirmed, !invocation.wantsJSON {
                Console.say("error: no generation waits to be confirmed\n")
                Console.say(
                    "  = help: it was confirmed already, or its time is over; see 'corewire history'\n"
                )
            }
            return reply
        }
    ) { reply, _ in
        reply.answer.isConfirmed
            ? ("confirmed: the present generation stays\n", .success) : ("", .problemsFound)
    }

    private static let confirmWithin = MemberWords.consumed(
        .init(
            name: "confirm-within",
            value: "duration",
            help: "Roll back unless 'corewire confirm' is run within this time."
        )
    )

    /// A command whose failure shows the report in it.
    private static func changing<Input: ChangeRequest>(
        _ name: String,
        _ call: APICall<Input, ChangeReport, ChangeFailureKind>,
        summary: String,
        discussion: String,
        words: KeyValuePairs<String, MemberWords>,
        prepare: @escaping @Sendable (inout Input, Invocation) throws -> Void = { _, _ in }
    ) -> Command {
        var command = Command.call(
            name,
            call,
            summary: summary,
            discussion: discussion,
            words: words,
            prepare: { input, invocation in
                try input.options.read(invocation)
                try prepare(&input, invocation)
            },
            perform: { client, input, _ in try await client.perform(call, input, within: RunnerClient.changeLimit) }
        ) { reply, paint in (ChangeText(reply.answer, paint).text, .success) }
        let run = command.run
        command.run = { invocation in
            do {
                return try await run?(invocation) ?? .internalError
            } catch let refusal as RunnerRefusal {
                guard let report = try? ChangeReport.read(answer: refusal.json.bytes()) else { throw refusal }
                let paint = Paint(isOn: Console.wantsColour(on: 2))
                if try Showing(invocation).isJSON {
                    Console.print(refusal.json.text(indented: true) + "\n")
                } else {
                    Console.say(ChangeText(report, paint).refusal(refusal.json.line("title") ?? "refused"))
                }
                return .problemsFound
            }
        }
        return command
    }
}

extension ChangeOptions {
    /// Reads the options whose form differs from that of the call.
    fileprivate mutating func read(_ invocation: Invocation) throws {
        if let text = invocation.option("confirm-within") {
            let limit = try invocation.duration(text, option: "confirm-within")
            guard (1...86_400).contains(limit.components.seconds) else {
                throw UsageError("--confirm-within takes 1s to 24h, not \(text.quoted)", for: invocation.path)
            }
            confirmWithin = limit
        }
        if let hash = invocation.option("if-hash") {
            guard !hash.isEmpty, hash.utf8.allSatisfy(\.isTokenByte) else {
                throw UsageError(
                    "--if-hash takes a hash as 'corewire status' shows it, not \(hash.quoted)",
                    for: invocation.path
                )
            }
            condition = .tags([EntityTag(hash)])
        }
    }
}
