import WireBase
import WireConfig

extension BackgroundSection {
    /// Checks each declared task.
    func checkTasks(_ checks: inout Checks) {
        for item in tasks.items {
            let path = "background.tasks.\(item.name)"
            if item.name.contains(".") {
                checks.report(
                    .dottedTask,
                    at: item.namePlace,
                    "\(path): names with '.' are reserved for services",
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
                    "\(path).exec: unknown variable \(name.quoted)",
                    help: "use the environment variables COREWIRE_TASK and COREWIRE_ENV"
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
                "\(path) has no action",
                help: "write one of 'exec', 'request', 'drain: true' and 'code: true'"
            )
            return
        }
        for other in given.dropFirst() {
            checks.report(
                .taskAction,
                at: other.place,
                "\(path): expected one action, found '\(first.name)' and '\(other.name)'",
                help: "declare two tasks, in one 'group' if they must not run at the same time",
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
                    "\(path).\(name) is not used without 'every'",
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
                help: "phones run periodic work at most every 15m"
            )
        }
        if task.$flex.isWritten, task.flex > .zero, task.flex < .seconds(300), task.flex < every {
            checks.report(
                .shortPeriod,
                at: task.$flex,
                "\(path).flex is \(task.flex.literal.plainText), less than 5m",
                help: "phones require a flex of at least 5m"
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
                "\(path).body is not used with the method \(request.method.rawValue)",
                related: request.$method.isWritten ? (request.$method, "because of this") : nil
            )
        }
    }
}
