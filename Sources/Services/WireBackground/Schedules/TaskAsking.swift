import Synchronization
import WireBase
import WireHTTP
import WireStore
package import WireWorkContract

extension BackgroundService {
    /// The tasks for code in the same process that is no service.
    package var tasks: TaskAsking? { parts.firstFound { $0 as? TaskDesk }.map(TaskAsking.init) }
}

/// What can be asked of tasks by code in the same process.
package struct TaskAsking: Sendable {
    private let desk: TaskDesk

    init(_ desk: TaskDesk) { self.desk = desk }

    /// Looks at once whether something may begin, also where nobody has said that anything has changed.
    package func look() { desk.changes.signal() }

    /// How many runs are under way here; nil while it is not decided yet what begins or ends.
    package var underWay: Int? {
        let heard = desk.changes.count
        return desk.state.withLock { state in
            let groups = Set(state.running.values.map(\.task.group))
            return state.decided == heard && Set(state.busy.keys) == groups ? state.running.count : nil
        }
    }

    /// Throws where the file declares no task of the name that Swift code does.
    package func checkCode(_ name: String) throws(TaskFailure) {
        guard let task = desk.task(name) else {
            throw TaskFailure(
                .noSuchTask,
                "no task '\(name)' is declared",
                help: "declare it under 'background.tasks' with 'code' set to true"
            )
        }
        guard task.action == .code else {
            throw TaskFailure(
                .noSuchTask,
                "the task '\(name)' is not done by Swift code",
                help: "set 'code' to true instead of what it does in the file"
            )
        }
    }
}
