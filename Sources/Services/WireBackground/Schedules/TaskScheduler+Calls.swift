import WireBase
import WireConfig
import WireHTTP
import WireStore
import WireWorkContract

// The operations of tasks, for the local API and for code in the same process.

extension TaskScheduler: RouteGroup {
    static let table: [RouteEntry<TaskScheduler>] = [
        .call(TaskCalls.list, by: TaskScheduler.list).inline,
        .call(TaskCalls.show, by: TaskScheduler.show).inline,
        .call(TaskCalls.run, by: TaskScheduler.run),
        .call(TaskCalls.cancel, by: TaskScheduler.cancel),
        .call(TaskCalls.postpone, by: TaskScheduler.postpone),
    ]

    private func list(_ request: APIRequest<NoInput>) async throws(TaskFailure) -> APIReply<TaskList> {
        let tasks = try await TaskFailure.rethrowing(try await reports())
        return APIReply(TaskList(tasks: tasks, conditions: TaskConditions(dependencies)))
    }

    private func show(_ request: APIRequest<TaskName>) async throws(TaskFailure) -> APIReply<TaskReport> {
        APIReply(try await declared(request.name))
    }

    private func run(_ request: APIRequest<TaskRunRequest>) async throws(TaskFailure) -> APIReply<TaskReport> {
        let ticket = try await ask(request.input)
        let hasEnded = request.waits ? await wait(for: ticket, of: request.name) : false
        return APIReply(try await declared(request.name), hasEnded ? .ok : .accepted)
    }

    private func cancel(_ request: APIRequest<TaskName>) async throws(TaskFailure) -> APIReply<TaskReport> {
        guard try await cancel(request.name) else {
            throw TaskFailure(
                .nothingToCancel,
                "the task \(request.name.quoted) neither runs nor waits for a requested run"
            )
        }
        return APIReply(try await declared(request.name))
    }

    private func postpone(
        _ request: APIRequest<TaskPostponement>
    ) async throws(TaskFailure) -> APIReply<TaskReport> {
        guard try await postpone(request.name, by: request.delay) else {
            throw TaskFailure(
                .nothingToPostpone,
                "the task \(request.name.quoted) has no waiting run: it is running, or runs only on request"
            )
        }
        return APIReply(try await declared(request.name))
    }

    private func declared(_ name: String) async throws(TaskFailure) -> TaskReport {
        if let report = try await TaskFailure.rethrowing(try await report(name)) { return report }
        throw undeclared(name)
    }

    func undeclared(_ name: String) -> TaskFailure {
        let nearest = Nearest.name(to: name, among: all.map(\.name)).map { ", did you mean '\($0)'?" } ?? ""
        return TaskFailure(
            .noSuchTask,
            "unknown task \(name.quoted)\(nearest)",
            help: "declare it under 'background.tasks'"
        )
    }
}
