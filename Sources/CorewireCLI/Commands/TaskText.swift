import WireBase
import WireConfig
import WireWorkContract

/// Tasks as text.
enum TaskText {
    static func table(_ tasks: [TaskReport], _ paint: Paint) -> String {
        guard !tasks.isEmpty else { return "there are no tasks\n" }
        var table = Table(["task", "action", "every", "state", "last run", "result", "next run"])
        for task in tasks {
            let outcome = task.last?.outcome
            table.add([
                "\(task.name.shown(upTo: 400))", "\(task.action.rawValue)", "\(task.every?.literal.plainText ?? "")",
                "\(state(of: task))", "\(Display.time(task.last?.ended))",
                .init(outcome?.rawValue ?? "", outcome == .failed || outcome == .timedOut ? .error : nil),
                "\(Display.time(task.next))",
            ])
        }
        return table.text(paint)
    }

    private static func state(of task: TaskReport) -> String {
        if let obstacle = obstacle(of: task) { return obstacle }
        return switch task.state {
        case .waiting: "begins"
        case .onRequest: "on request"
        case .running, .scheduled, .unattended: task.state.rawValue
        }
    }

    /// Why a run does not begin; nil where nothing prevents it.
    static func obstacle(of task: TaskReport) -> String? {
        let lacking = (task.waitingFor ?? []).map { $0.shown(upTo: 32) }
        return switch task.state {
        case .waiting where !lacking.isEmpty: "waits for \(lacking.joined(separator: ", "))"
        case .unattended: "no code for it"
        default: nil
        }
    }

    /// The prospect of a requested run.
    static func prospect(of task: TaskReport) -> String {
        let time = Display.time(task.next)
        return task.state == .scheduled && !time.isEmpty ? "begins at \(time)" : state(of: task)
    }

    static func end(of task: TaskReport) -> String {
        let reason = task.last?.reason.map { ": \($0.shown(upTo: 400))" } ?? ""
        return switch task.last?.outcome {
        case .succeeded: "done\n"
        case .timedOut: "timed out\(reason)\n"
        case let outcome?: "\(outcome.rawValue)\(reason)\n"
        case nil: "ended\n"
        }
    }
}
