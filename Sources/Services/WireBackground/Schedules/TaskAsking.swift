import Synchronization
import WireBase
package import WireService
import WireStore

extension BackgroundService {
    /// The tasks for code in the same process that is no service.
    package var tasks: TaskAsking? { parts.firstFound { $0 as? TaskDesk }.map(TaskAsking.init) }
}

/// What can be asked of tasks by code in the same process.
package struct TaskAsking: Sendable {
    private let desk: TaskDesk

    init(_ desk: TaskDesk) { self.desk = desk }

    package func list() throws(TaskRefusal) -> [TaskReport] {
        do throws(StoreFailure) {
            return try desk.reports()
        } catch {
            throw TaskRefusal(.notWritten, error.reason, help: error.help)
        }
    }

    /// Asks for a run; returns when that is on the disk, or with `waits` when it has ended.
    package func run(_ name: String, _ wish: TaskWish, waits: Bool) async throws(TaskRefusal) -> TaskReport? {
        let ticket = try await desk.ask(name, wish)
        if waits { _ = await desk.wait(for: ticket, of: name) }
        return try list().first { $0.name == name }
    }

    /// Looks at once whether something may begin, also where nobody has said that anything has changed.
    package func look() { desk.bell.ring() }

    /// How many runs are under way here; nil while it is not decided yet what begins or ends.
    package var underWay: Int? {
        let heard = desk.bell.count
        return desk.state.withLock { state in
            let groups = Set(state.running.values.map(\.task.group))
            return state.decided == heard && Set(state.busy.keys) == groups ? state.running.count : nil
        }
    }

    package func cancel(_ name: String) async throws(TaskRefusal) -> Bool { try await desk.cancel(name) }

    /// Throws where the file declares no task of the name that Swift code does.
    package func checkCode(_ name: String) throws(TaskRefusal) {
        guard let task = desk.task(name) else {
            throw TaskRefusal(
                .undeclared,
                "no task '\(name)' is declared",
                help: "declare it under 'background.tasks' with 'code' set to true"
            )
        }
        guard task.action == .code else {
            throw TaskRefusal(
                .undeclared,
                "the task '\(name)' is not done by Swift code",
                help: "set 'code' to true instead of what it does in the file"
            )
        }
    }
}
