import WireBase
import WireConfig

extension BackgroundSection {
    /// The rules of tasks, one by one.
    func checkTasks(_ checks: inout Checks) {
        for item in tasks.items {
            let path = "background.tasks.\(item.name)"
            if item.name.contains(".") {
                checks.report(
                    .dottedTask,
                    at: item.namePlace,
                    "\(path): a name with '.' is of a service",
                    help: "write \(item.name.replacing(".", with: "-").quoted)"
                )
            }
            checkAction(item.value, path, item.place, &checks)
            checkTimes(item.value, path, &checks)
            checkRequest(item.value, path, &checks)
            if item.value.needs.contains(.user) { checks.needUser(path, at: item.value.$needs) }
            if let exec = item.value.exec, let name = exec.arguments.lazy.flatMap(\.variables).first {
                checks.report(
                    .taskTemplate,
                    at: item.value.$exec,
                    "\(path).exec: there is no value \(name.quoted) to put in",
                    help: "the program finds the name of the task and the environment in COREWIRE_TASK and COREWIRE_ENV"
                )
            }
        }
    }

    private func checkAction(_ task: DeclaredTask, _ path: String, _ place: Place, _ checks: inout Checks) {
        let actions: [(name: String, isThere: Bool, place: Place)] = [
            ("exec", task.exec != nil, task.$exec), ("request", task.request != nil, task.$request),
            ("drain", task.drain, task.$drain), ("code", task.code, task.$code),
        ]
        guard actions.allSatisfy({ $0.place.state != .uncertain }) else { return }
        let given = actions.filter(\.isThere)
        guard let first = given.first else {
            checks.report(
                .taskAction,
                at: place,
                "\(path) does nothing",
                help: "write one of 'exec', 'request', 'drain: true' and 'code: true'"
            )
            return
        }
        for other in given.dropFirst() {
            checks.report(
                .taskAction,
                at: other.place,
                "\(path): a task does one thing, and has '\(first.name)' and '\(other.name)'",
                help: "make two tasks of it, of one 'group' where they must not run beside each other",
                related: (first.place, "the first")
            )
        }
    }

    private func checkTimes(_ task: DeclaredTask, _ path: String, _ checks: inout Checks) {
        guard let every = task.every else {
            guard task.$every.state == .absent else { return }
            for (name, place) in [("flex", task.$flex), ("atStart", task.$atStart)] where place.isWritten {
                checks.report(
                    .unusedTaskKey,
                    at: place,
                    "\(path).\(name) has no use without 'every'",
                    help: "write \(setting: "every: 1d"), or remove it"
                )
            }
            return
        }
        if task.flex >= every, task.$flex.isWritten {
            checks.report(
                .longFlex,
                at: task.$flex,
                "\(path).flex (\(task.flex.literal.plainText)) is not shorter than 'every' (\(every.literal.plainText))",
                related: (task.$every, "the period")
            )
        }
        if every < .seconds(900) {
            checks.report(
                .shortPeriod,
                at: task.$every,
                "\(path).every is \(every.literal.plainText), less than 15m",
                help: "phones run no work more often than every 15m"
            )
        }
        if task.$flex.isWritten, task.flex > .zero, task.flex < .seconds(300), task.flex < every {
            checks.report(
                .shortPeriod,
                at: task.$flex,
                "\(path).flex is \(task.flex.literal.plainText), less than 5m",
                help: "phones take no flex shorter than 5m"
            )
        }
    }

    private func checkRequest(_ task: DeclaredTask, _ path: String, _ checks: inout Checks) {
        guard let request = task.request else { return }
        let path = "\(path).request"
        checks.checkToken(
            request.authorization,
            at: request.$authorization,
            orAuthenticated: request.$authenticated,
            path,
            for: request.url,
            from: request.$url
        )
        if request.body != nil, request.method == .get || request.method == .delete {
            checks.report(
                .unusedTaskKey,
                at: request.$body,
                "\(path).body has no use with the method \(request.method.rawValue)",
                related: request.$method.isWritten ? (request.$method, "because of this") : nil
            )
        }
    }
}
