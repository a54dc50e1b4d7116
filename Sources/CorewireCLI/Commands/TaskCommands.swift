import WireBase
import WireHost
import WireHTTP
import WireWorkContract

/// `corewire tasks`: what comes again, or is done when a caller asks for it.
enum TaskCommands {
    static let tasks = Command(
        name: "tasks",
        summary: "Show the tasks of the file and of services, and run them.",
        subcommands: [list, run, cancel, postpone]
    )

    private static let list = Command.call(
        "list",
        TaskCalls.list,
        summary: "List tasks: when each ran, when it runs next, and what it waits for."
    ) { reply, paint in (TaskText.table(reply.answer.tasks, paint), .success) }

    private static let run = Command.call(
        "run",
        TaskCalls.run,
        summary: "Ask for a run of a task.",
        discussion: """
            The runner writes it down, and runs the task as soon as what it needs is there and nothing
            of its group runs. A run that waits or is under way already is the one that is meant,
            unless --replace is given.

            Exit status: 0 asked for, or with --wait done; 1 no such task, or it failed.
            """,
        words: [
            name.key: name.value,
            "wait": .option("Wait until it has ended, and tell how."),
            "after": .option("How long it is put off, such as 10m."),
            "existing": .flag("replace", "Give up the run that waits or is under way.", meaning: "replace"),
            "force": .option("Run it whatever it needs."),
        ],
        perform: { client, request, _ in
            try await sayingWhatItWaitsFor(request, client) {
                try await client.perform(TaskCalls.run, request, within: request.waits ? longestRun : nil)
            }
        }
    ) { reply, _ in
        let task = reply.answer
        guard reply.status == .ok else { return ("asked for; \(TaskText.prospect(of: task))\n", .success) }
        return (TaskText.end(of: task), task.last?.outcome == .succeeded ? .success : .problemsFound)
    }

    private static let cancel = Command.call(
        "cancel",
        TaskCalls.cancel,
        summary: "Give up the run of a task that waits or is under way.",
        discussion: "Runs that come by themselves still come. Exit status: 0 given up, 1 there is none.",
        words: [name.key: name.value]
    ) { _, _ in ("given up\n", .success) }

    private static let postpone = Command.call(
        "postpone",
        TaskCalls.postpone,
        summary: "Put off the next run of a task.",
        discussion: "Those after it come at their times. Exit status: 0 put off, 1 no run waits.",
        words: [
            name.key: name.value,
            "by": .argument("duration", "How long it is put off, such as 2h; 30d at most, and 0s takes it back."),
        ]
    ) { reply, _ in ("\(TaskText.prospect(of: reply.answer))\n", .success) }

    /// A run may wait for the network as long as that is away; a runner that ends closes the connection.
    private static let longestRun = Duration.seconds(366 * 86_400)

    private static let name = (key: "name", value: MemberWords.argument("task", "The name of the task."))

    /// Makes a call; where its end is waited for, says once what the run waits for.
    private static func sayingWhatItWaitsFor(
        _ request: TaskRunRequest,
        _ client: RunnerClient,
        _ call: @escaping @Sendable () async throws -> RunnerReply<TaskReport>
    ) async throws -> RunnerReply<TaskReport> {
        try await withThrowingTaskGroup(of: RunnerReply<TaskReport>?.self) { group in
            group.addTask { try await call() }
            if request.waits {
                group.addTask {
                    // A look that fails says nothing: what went wrong is said by the answer.
                    while (try? await Clockwork.host.sleep(.milliseconds(500))) != nil {
                        let reply = try? await client.perform(TaskCalls.show, TaskName(request.name))
                        guard let obstacle = reply.flatMap({ TaskText.obstacle(of: $0.answer) }) else { continue }
                        Console.say("\(obstacle)\n")
                        break
                    }
                    return nil
                }
            }
            defer { group.cancelAll() }
            while let reply = try await group.next() {
                if let reply { return reply }
            }
            throw CancellationError()
        }
    }
}
