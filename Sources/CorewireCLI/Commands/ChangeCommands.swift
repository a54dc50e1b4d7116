import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract

/// The commands that make the next generation, or say what it would be: `reload`, `env use`, `rollback`, `plan`, `confirm`.
enum ChangeCommands {
    static let reload = changing(
        "reload",
        RunnerCalls.reload,
        summary: "Read the file again, and make what it says the next generation.",
        discussion: """
            A file that is not valid, or a service that does not become ready, leaves everything as it
            is. Listening sockets stay open all the while.

            Exit status: 0 applied or unchanged, 1 refused.
            """,
        words: [
            "confirm-within": confirmWithin,
            "force": .option("Restart services that have not changed too."),
            "if-hash": .own(
                .init(
                    name: "if-hash",
                    value: "hash",
                    help: "Only where this content runs, as 'corewire status' shows it."
                )
            ),
            "confirmWithinSeconds": .hidden, "If-Match": .hidden,
        ]
    )

    /// A part of `corewire env`.
    static let use = changing(
        "use",
        RunnerCalls.use,
        summary: "Switch the runner to another environment.",
        discussion: """
            The present environment goes on until the services of the other are ready, and for good
            where they do not become ready. The choice outlives the runner.

            Exit status: 0 applied or unchanged, 1 refused.
            """,
        words: [
            "environment": .argument(
                "environment",
                "Its name, or the URL of one that is not declared.",
                values: .environments
            ),
            "confirm-within": confirmWithin,
            "force": .hidden, "confirmWithinSeconds": .hidden, "If-Match": .hidden,
        ]
    )

    static let rollback = changing(
        "rollback",
        RunnerCalls.rollback,
        summary: "Make what an earlier generation was made of the next one.",
        discussion: "The services file stays as it is: the next reload reads it again.",
        words: [
            "generation": .argument("generation", "Its number, as 'corewire history' lists it."),
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
            started or stopped, and what it has in flight; for each setting: what it was and would be.
            """,
        words: [
            "env": .own(
                .init(name: "env", value: "name", help: "Plan the switch to an environment.", values: .environments)
            ),
            "generation": .option(value: "number", "Plan the return to a generation."),
            "environment": .hidden, "force": .hidden, "confirmWithinSeconds": .hidden, "If-Match": .hidden,
        ]
    ) { request, invocation in
        request.environment = invocation.option("env")
        guard request.environment == nil || request.generation == nil else {
            throw UsageError("--env and --generation are two plans", for: invocation.path)
        }
    }

    static let confirm = Command.call(
        "confirm",
        RunnerCalls.confirm,
        summary: "Keep the generation that waits to be confirmed.",
        discussion: "Exit status: 0 confirmed, 1 none waits.",
        perform: { client, input, invocation in
            let reply = try await client.perform(RunnerCalls.confirm, input, within: RunnerClient.changeLimit)
            if !reply.answer.isConfirmed, !invocation.wantsJSON {
                Console.say("error: no generation waits to be confirmed\n")
                Console.say(
                    "  = help: it was confirmed already, or its time is over; 'corewire history' tells which runs\n"
                )
            }
            return reply
        }
    ) { reply, _ in
        reply.answer.isConfirmed
            ? ("confirmed: the generation that runs stays\n", .success) : ("", .problemsFound)
    }

    private static let confirmWithin = MemberWords.own(
        .init(
            name: "confirm-within",
            value: "duration",
            help: "Return to the present generation unless 'corewire confirm' comes in time."
        )
    )

    /// A command whose refusal is shown as the report that it carries.
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
    /// Reads the options that say something in another form than the call does.
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
