import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// The local API of tasks.
struct TaskRoutes: RouteGroup {
    private let desk: TaskDesk

    init(_ desk: TaskDesk) { self.desk = desk }

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/tasks",
                "Every task: when it ran, when it runs next, and what it waits for.",
                access: .read,
                answers: [.json(TaskList.schema, "The tasks."), unavailable]
            )
        ) { .snapshot($0.list) },
        .init(
            .init(
                .get,
                "/v1/tasks/{name}",
                "One task.",
                access: .read,
                inputs: [name],
                answers: [.json(TaskReport.schema, "The task."), noSuchTask, unavailable]
            )
        ) { .snapshot($0.show) },
        .init(
            .init(
                .post,
                "/v1/tasks/{name}/run",
                "Ask for a run; answered when that is on the disk, or with 'wait' when it has ended.",
                access: .write,
                body: .json(TaskWish.form.requestSchema, upTo: .kibibytes(1), mayBeEmpty: true),
                inputs: [name, .init(.query, "wait", "Answer when it has ended.", .boolean)],
                answers: [
                    .json(TaskReport.schema, "It is asked for.", status: .accepted),
                    .json(TaskReport.schema, "It has ended; 'last' tells how."), noSuchTask, unavailable,
                    .problem(.unprocessableContent, "bad-delay", "Nothing is put off for so long."),
                ]
            )
        ) { .work($0.run) },
        .init(
            .init(
                .delete,
                "/v1/tasks/{name}/run",
                "Give up the run that waits or is under way; those that come by themselves still come.",
                access: .write,
                inputs: [name],
                answers: [
                    .json(TaskReport.schema, "It is given up, and ends."), noSuchTask,
                    .problem(.conflict, "nothing-to-cancel", "No run waits or is under way."), unavailable,
                ]
            )
        ) { .work($0.cancel) },
    ]

    private static let name = Route.Input(
        .path,
        "name",
        "The task.",
        .text(pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*$", upTo: 255)
    )

    private static let noSuchTask = Operation.Answer.problem(.notFound, "no-such-task", "No task is declared so.")
    private static let unavailable = Operation.Answer.problem(
        .unavailable,
        "store-unavailable",
        "The store cannot be used now, or the service ends."
    )

    // MARK: Looking

    private func list(_ request: Request) throws -> Response {
        let reports = try asking { () throws(StoreFailure) in try desk.reports() }
        return .json(TaskList(tasks: reports, conditions: TaskConditions(desk.surroundings)))
    }

    private func show(_ request: Request) throws -> Response { .json(try report(request)) }

    private func report(_ request: Request) throws -> TaskReport {
        let name = request[parameter: "name"]
        guard let report = try asking({ () throws(StoreFailure) in try desk.report(name) }) else {
            let nearest = Nearest.name(to: name, among: desk.all.map(\.name)).map { ", did you mean '\($0)'?" } ?? ""
            throw Problem.noSuchTask("no task \(name.quoted) is declared\(nearest)")
        }
        return report
    }

    // MARK: Changing

    private func run(_ request: Request) async throws -> Response {
        let wish = try request.record(TaskWish.self)
        let name = request[parameter: "name"]
        let waits = try request.queryFlag("wait")
        let ticket: TaskDesk.Ticket
        do throws(TaskRefusal) { ticket = try await desk.ask(name, wish) } catch { throw Problem(error) }
        guard waits else { return .json(try report(request), status: .accepted) }
        let hasEnded = await desk.wait(for: ticket, of: name)
        return .json(try report(request), status: hasEnded ? .ok : .accepted)
    }

    private func cancel(_ request: Request) async throws -> Response {
        let name = request[parameter: "name"]
        let wasThere: Bool
        do throws(TaskRefusal) { wasThere = try await desk.cancel(name) } catch { throw Problem(error) }
        guard wasThere else {
            throw Problem(
                .conflict,
                "nothing-to-cancel",
                "no run waits or is under way",
                detail: "the task \(name.quoted) neither runs, nor has anybody asked for a run"
            )
        }
        return .json(try report(request))
    }

    private func asking<Answer>(_ ask: () throws(StoreFailure) -> Answer) throws(Problem) -> Answer {
        do throws(StoreFailure) {
            return try ask()
        } catch {
            throw Problem(TaskRefusal(.notWritten, error.reason, help: error.help))
        }
    }
}

extension Problem {
    fileprivate static func noSuchTask(_ detail: String) -> Problem {
        Problem(.notFound, "no-such-task", "there is no such task", detail: detail)
    }

    init(_ refusal: TaskRefusal) {
        let detail = refusal.help.map { "\(refusal.reason); \($0)" } ?? refusal.reason
        switch refusal.kind {
        case .undeclared: self = .noSuchTask(detail)
        case .badDelay:
            self.init(.unprocessableContent, "bad-delay", "nothing is put off for so long", detail: detail)
        case .notWritten, .ended:
            self.init(.unavailable, "store-unavailable", "it cannot be written down now", detail: detail)
            fields = ["Retry-After": "5"]
        }
    }
}
