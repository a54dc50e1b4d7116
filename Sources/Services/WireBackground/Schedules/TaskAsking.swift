import Synchronization
import WireBase
import WireHTTP
import WireStore
package import WireWorkContract

extension BackgroundService {
    /// The tasks, for code in the same process that is not a service.
    package var tasks: TaskAsking? { parts.firstFound { $0 as? TaskScheduler }.map(TaskAsking.init) }
}

/// Operations on tasks for code in the same process.
package struct TaskAsking: Sendable {
    private let scheduler: TaskScheduler

    init(_ scheduler: TaskScheduler) { self.scheduler = scheduler }

    /// Checks at once whether a run may begin, even without a signalled change.
    package func look() { scheduler.changes.signal() }

    /// The number of runs in progress; nil while a decision is pending.
    package var underWay: Int? {
        let heard = scheduler.changes.count
        return scheduler.state.withLock { state in
            let groups = Set(state.running.values.map(\.task.group))
            return state.decided == heard && Set(state.busy.keys) == groups ? state.running.count : nil
        }
    }

    /// Throws unless the file declares a task of this name with Swift code.
    package func checkCode(_ name: String) throws(TaskFailure) {
        guard let task = scheduler.task(name) else {
            throw TaskFailure(
                .noSuchTask,
                "unknown task '\(name)'",
                help: "declare it under 'background.tasks' with 'code' set to true"
            )
        }
        guard task.action == .code else {
            throw TaskFailure(
                .noSuchTask,
                "the task '\(name)' has no Swift code",
                help: "replace its action in the file by 'code: true'"
            )
        }
    }
}
