import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireHTTP
import WireService

/// `corewire tasks`: what comes again or is done when asked for; 1 is the exit status of what is not there or failed.
enum TasksCommand {
    static let deeds: Deeds = [
        "tasks list": list,
        "tasks run": run,
        "tasks cancel": cancel,
    ]

    static func list(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let answer = try await RunnerClient(invocation).ask(.get, "/v1/tasks").wellDone()
            let json = try answer.json()
            let tasks = showing.isJSON ? [] : try answer.value(TaskList.self).tasks
            showing.show(json) { table(tasks, showing.paint) }
            return .success
        }
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let waits = invocation.flag("wait")
            var wish = TaskRunRequest(invocation.argument(0) ?? "")
            wish.existing = invocation.flag("replace") ? .replace : .keep
            wish.isForced = invocation.flag("force")
            wish.delay = try invocation.option("after").map { try invocation.duration($0, option: "after") } ?? .zero
            let client = try RunnerClient(invocation)
            let path = "\(invocation.taskPath)/run\(waits ? "?wait" : "")"
            let asked = wish.json
            let answer = try await saying(what: invocation.taskPath, waits: waits, client) {
                try await client.tell(.post, path, asked).wellDone()
            }
            let task = try answer.value(TaskReport.self)
            let hasEnded = answer.status == .ok
            showing.show(try answer.json()) { hasEnded ? end(of: task) : "asked for; \(prospect(of: task))\n" }
            return hasEnded && task.last?.outcome != .succeeded ? .problemsFound : .success
        }
    }

    /// Asks, and where the answer is waited for says once what the run waits for.
    private static func saying(
        what path: String,
        waits: Bool,
        _ client: RunnerClient,
        _ ask: @escaping @Sendable () async throws -> RunnerAnswer
    ) async throws -> RunnerAnswer {
        try await withThrowingTaskGroup(of: RunnerAnswer?.self) { group in
            group.addTask { try await ask() }
            if waits {
                group.addTask {
                    // A look that fails says nothing: what went wrong is told by the answer.
                    while (try? await Clockwork.host.sleep(.milliseconds(500))) != nil {
                        guard let task = try? await client.ask(.get, path).wellDone().value(TaskReport.self),
                            let obstacle = obstacle(task)
                        else { continue }
                        Console.say("\(obstacle)\n")
                        break
                    }
                    return nil
                }
            }
            defer { group.cancelAll() }
            while let answer = try await group.next() {
                if let answer { return answer }
            }
            throw CancellationError()
        }
    }

    static func cancel(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let client = try RunnerClient(invocation)
            let answer = try await client.ask(.delete, "\(invocation.taskPath)/run").wellDone()
            showing.show(try answer.json()) { "given up\n" }
            return .success
        }
    }

    // MARK: What is shown

    private static func table(_ tasks: [TaskReport], _ paint: Paint) -> String {
        guard !tasks.isEmpty else { return "there are no tasks\n" }
        var table = Table(["task", "does", "every", "state", "last run", "came to", "next run"])
        for task in tasks {
            let outcome = task.last?.outcome
            table.add([
                "\(task.name.shown(upTo: 400))", "\(task.action.rawValue)", "\(task.every?.literal.plainText ?? "")",
                "\(state(task))", "\(Showing.time(task.last?.ended))",
                .init(outcome?.rawValue ?? "", outcome == .failed || outcome == .timedOut ? .error : nil),
                "\(Showing.time(task.next))",
            ])
        }
        return table.text(paint)
    }

    private static func state(_ task: TaskReport) -> String {
        if let obstacle = obstacle(task) { return obstacle }
        return switch task.state {
        case .waiting: "begins"
        case .onRequest: "on request"
        case .running, .scheduled, .unattended: task.state.rawValue
        }
    }

    /// What keeps a run from beginning; nil where nothing does.
    private static func obstacle(_ task: TaskReport) -> String? {
        let lacking = (task.waitingFor ?? []).map { $0.shown(upTo: 32) }
        return switch task.state {
        case .waiting where !lacking.isEmpty: "waits for \(lacking.joined(separator: ", "))"
        case .unattended: "no code for it"
        default: nil
        }
    }

    /// What comes of a run that was asked for.
    private static func prospect(of task: TaskReport) -> String {
        let time = Showing.time(task.next)
        return task.state == .scheduled && !time.isEmpty ? "begins at \(time)" : state(task)
    }

    private static func end(of task: TaskReport) -> String {
        let reason = task.last?.reason.map { ": \($0.shown(upTo: 400))" } ?? ""
        return switch task.last?.outcome {
        case .succeeded: "done\n"
        case .timedOut: "took too long\(reason)\n"
        case let outcome?: "\(outcome.rawValue)\(reason)\n"
        case nil: "ended\n"
        }
    }
}

extension Invocation {
    fileprivate var taskPath: String { "/v1/tasks/\((argument(0) ?? "").percentEncoded)" }
}
