import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireHTTP

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
            let client = try RunnerClient(invocation)
            let answer = try await client.get("/v1/tasks")
            guard let tasks = answer["tasks"]?.array else { throw Failure.foreign(client.socket) }
            showing.show(answer) { table(tasks, showing.paint) }
            return .success
        }
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let waits = invocation.flag("wait")
            if let after = invocation.option("after") { _ = try invocation.duration(after, option: "after") }
            let wish = JSONValue.members([
                "existing": invocation.flag("replace") ? .string("replace") : nil,
                "after": invocation.option("after").map(JSONValue.string),
                "force": invocation.flag("force") ? .boolean(true) : nil,
            ])
            let client = try RunnerClient(invocation)
            let path = "\(invocation.taskPath)/run\(waits ? "?wait" : "")"
            let told = try await saying(what: invocation.taskPath, waits: waits, client) {
                try await client.tell(.post, path, wish).wellDone()
            }
            let task = try told.json()
            guard task["name"]?.string != nil else { throw Failure.foreign(client.socket) }
            let hasEnded = told.status == .ok
            showing.show(task) { hasEnded ? end(of: task) : "asked for; \(prospect(of: task))\n" }
            return hasEnded && task["last"]?["outcome"]?.string != "succeeded" ? .problemsFound : .success
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
                        guard let task = try? await client.get(path), let obstacle = obstacle(task) else { continue }
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

    private static func table(_ tasks: [JSONValue], _ paint: Paint) -> String {
        guard !tasks.isEmpty else { return "there are no tasks\n" }
        var table = Table(["task", "does", "every", "state", "last run", "came to", "next run"])
        for task in tasks {
            let outcome = task["last"]?.line("outcome") ?? ""
            table.add([
                "\(task.line("name") ?? "")", "\(task.line("action") ?? "")", "\(task.line("every") ?? "")",
                "\(state(task))", "\(Showing.time(task["last"]?["ended"]?.integer))",
                .init(outcome, outcome == "failed" || outcome == "timedOut" ? .error : nil),
                "\(Showing.time(task["next"]?.integer))",
            ])
        }
        return table.text(paint)
    }

    private static func state(_ task: JSONValue) -> String {
        if let obstacle = obstacle(task) { return obstacle }
        return switch task["state"]?.string {
        case "waiting": "begins"
        case "onRequest": "on request"
        case let state?: state.shown(upTo: 32)
        case nil: ""
        }
    }

    /// What keeps a run from beginning; nil where nothing does.
    private static func obstacle(_ task: JSONValue) -> String? {
        let lacking = task["waitingFor"]?.array?.compactMap(\.string).map { $0.shown(upTo: 32) } ?? []
        return switch task["state"]?.string {
        case "waiting" where !lacking.isEmpty: "waits for \(lacking.joined(separator: ", "))"
        case "unattended": "no code for it"
        default: nil
        }
    }

    /// What comes of a run that was asked for.
    private static func prospect(of task: JSONValue) -> String {
        let time = Showing.time(task["next"]?.integer)
        return task["state"]?.string == "scheduled" && !time.isEmpty ? "begins at \(time)" : state(task)
    }

    private static func end(of task: JSONValue) -> String {
        let last = task["last"]
        let reason = last?.line("reason").map { ": \($0)" } ?? ""
        return switch last?["outcome"]?.string {
        case "succeeded": "done\n"
        case "timedOut": "took too long\(reason)\n"
        case let outcome?: "\(outcome.shown(upTo: 32))\(reason)\n"
        case nil: "ended\n"
        }
    }
}

extension Invocation {
    fileprivate var taskPath: String { "/v1/tasks/\((argument(0) ?? "").percentEncoded)" }
}
