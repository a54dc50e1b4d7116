import WireBase
import WireHost
import WireHTTP
import WireWorkContract

/// `corewire tasks`: scheduled and requested work.
enum TaskCommands {
    static let tasks = Command(
        name: "tasks",
        summary: "Show and run tasks.",
        subcommands: [list, run, cancel, postpone]
    )

    private static let list = Command.call(
        "list",
        TaskCalls.list,
        summary: "List tasks with their last run, next run and unmet conditions."
    ) { reply, paint in (TaskText.table(reply.answer.tasks, paint), .success) }

    private static let run = Command.call(
        "run",
        TaskCalls.run,
        summary: "Request a run of a task.",
        discussion: """
            The runner stores the request, and runs the task as soon as its conditions are met and
            no other task of its group is running. A waiting or current run satisfies the request,
            unless --replace is set.

            Exit status: 0 requested, or with --wait done; 1 unknown task, or failed.
            """,
        words: [
            name.key: name.value,
            "wait": .option("Wait until the run has ended, and print the result."),
            "after": .option("A delay, such as 10m."),
            "existing": .flag("replace", "Cancel the waiting or current run.", meaning: "replace"),
            "force": .option("Ignore the conditions of the task."),
        ],
        perform: { client, request, _ in
            try await sayingWhatItWaitsFor(request, client) {
                try await client.perform(TaskCalls.run, request, within: request.waits ? longestRun : nil)
            }
        }
    ) { reply, _ in
        let task = reply.answer
        guard reply.status == .ok else { return ("requested; \(TaskText.prospect(of: task))\n", .success) }
        return (TaskText.end(of: task), task.last?.outcome == .succeeded ? .success : .problemsFound)
    }

    private static let cancel = Command.call(
        "cancel",
        TaskCalls.cancel,
        summary: "Cancel the waiting or current run of a task.",
        discussion: "Scheduled runs are not affected. Exit status: 0 cancelled, 1 no run to cancel.",
        words: [name.key: name.value]
    ) { _, _ in ("cancelled\n", .success) }

    private static let postpone = Command.call(
        "postpone",
        TaskCalls.postpone,
        summary: "Postpone the next run of a task.",
        discussion: "Later runs stay on schedule. Exit status: 0 postponed, 1 no run waits.",
        words: [
            name.key: name.value,
            "by": .argument("duration", "The delay, such as 2h; at most 30d. 0s cancels the postponement."),
        ]
    ) { reply, _ in ("\(TaskText.prospect(of: reply.answer))\n", .success) }

    /// A run may wait for the network for any time; the end of the runner closes the connection.
    private static let longestRun = Duration.seconds(366 * 86_400)

    private static let name = (key: "name", value: MemberWords.argument("task", "The name of the task."))

    /// Makes a call; prints the reason of a wait once.
    private static func sayingWhatItWaitsFor(
        _ request: TaskRunRequest,
        _ client: RunnerClient,
        _ call: @escaping @Sendable () async throws -> RunnerReply<TaskReport>
    ) async throws -> RunnerReply<TaskReport> {
        try await withThrowingTaskGroup(of: RunnerReply<TaskReport>?.self) { group in
            group.addTask { try await call() }
            if request.waits {
                group.addTask {
                    // A failed status request is ignored: the answer reports the problem.
                    while (try? await TimeSource.host.sleep(.milliseconds(500))) != nil {
                        let reply = try? await client.perform(TaskCalls.show, TaskName(request.name))
                        guard let obstacle = reply.flatMap({ TaskText.obstacle(of: $0.answer) }) else { continue }
                        Console.printError("\(obstacle)\n")
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
