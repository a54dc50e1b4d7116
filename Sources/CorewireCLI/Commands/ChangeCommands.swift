import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract

/// The commands that make or plan the next generation: `reload`, `env use`, `rollback`, `plan`, `confirm`.
enum ChangeCommands {
    static let reload = changing(
        "reload",
        RunnerCalls.reload,
        summary: "Reload the services file, and start the next generation.",
        discussion: """
            If the file is not valid, or a service does not become ready, the current generation
            continues. Listening sockets stay open.

            Exit status: 0 applied or unchanged, 1 rejected.
            """,
        words: [
            "confirm-within": confirmWithin,
            "force": .option("Also restart unchanged services."),
            "if-hash": .consumed(
                .init(
                    name: "if-hash",
                    value: "hash",
                    help: "Only if the current configuration has this hash, from 'corewire status'."
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
            The current environment continues until the services of the other environment are ready.
            The choice survives a restart of the runner.

            Exit status: 0 applied or unchanged, 1 rejected.
            """,
        words: [
            "environment": .argument(
                "environment",
                "The environment, or the URL of an undeclared environment.",
                values: .environments
            ),
            "confirm-within": confirmWithin,
            "force": .hidden, "confirmWithinSeconds": .hidden, "If-Match": .hidden,
        ]
    )

    static let rollback = changing(
        "rollback",
        RunnerCalls.rollback,
        summary: "Roll back to the configuration of an earlier generation.",
        discussion: "The services file is not changed; the next reload applies it again.",
        words: [
            "generation": .argument("generation", "The number, from 'corewire history'."),
            "confirm-within": confirmWithin,
            "force": .hidden, "confirmWithinSeconds": .hidden, "If-Match": .hidden,
        ]
    )

    static let plan = changing(
        "plan",
        RunnerCalls.plan,
        summary: "Preview a reload, a switch or a rollback.",
        discussion: """
            Without an option, previews a reload. Prints for each service whether it is kept,
            rebound, restarted, started or stopped, with its requests in flight; and for each
            changed setting the old and the new value.
            """,
        words: [
            "env": .consumed(
                .init(name: "env", value: "name", help: "Plan the switch to an environment.", values: .environments)
            ),
            "generation": .option(value: "number", "Plan the rollback to a generation."),
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
        summary: "Confirm the current generation.",
        discussion: "Exit status: 0 confirmed, 1 no generation waits for confirmation.",
        perform: { client, input, invocation in
            let reply = try await client.perform(RunnerCalls.confirm, input, within: RunnerClient.changeLimit)
            if !reply.answer.isConfirmed, !invocation.wantsJSON {
                Console.printError("error: no generation waits for confirmation\n")
                Console.printError(
                    "  = help: the generation is confirmed or rolled back; run 'corewire history'\n"
                )
            }
            return reply
        }
    ) { reply, _ in
        reply.answer.isConfirmed
            ? ("confirmed the current generation\n", .success) : ("", .problemsFound)
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
        _ call: @autoclosure @escaping @Sendable () -> APICall<Input, ChangeReport, ChangeFailureKind>,
        summary: String,
        discussion: String,
        words: MemberWordList,
        prepare: @escaping @Sendable (inout Input, Invocation) throws -> Void = { _, _ in }
    ) -> Command {
        var command = Command.call(
            name,
            call(),
            summary: summary,
            discussion: discussion,
            words: words,
            prepare: { input, invocation in
                try input.options.read(invocation)
                try prepare(&input, invocation)
            },
            perform: { client, input, _ in try await client.perform(call(), input, within: RunnerClient.changeLimit) }
        ) { reply, paint in (ChangeText(reply.answer, paint).text, .success) }
        let run = command.run
        command.run = { invocation in
            do {
                return try await run?(invocation) ?? .internalError
            } catch let refusal as RunnerRefusal {
                guard let report = try? ChangeReport.read(answer: refusal.json.bytes()) else { throw refusal }
                let paint = Paint(isOn: Console.wantsColour(on: 2))
                if try Display(invocation).isJSON {
                    Console.print(refusal.json.text(indented: true) + "\n")
                } else {
                    Console.printError(ChangeText(report, paint).refusal(refusal.json.line("title") ?? "rejected"))
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
                    "--if-hash takes a hash from 'corewire status', not \(hash.quoted)",
                    for: invocation.path
                )
            }
            condition = .tags([EntityTag(hash)])
        }
    }
}
