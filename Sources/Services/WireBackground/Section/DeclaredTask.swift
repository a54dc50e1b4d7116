package import WireConfig

/// A declared task: scheduled, or run on request.
package struct DeclaredTask: Record {
    @Setting package var every: Duration?
    @Setting package var flex: Duration
    @Setting package var needs: [TaskNeed]
    @Setting package var group: Identifier?
    @Setting package var atStart: Bool
    @Setting package var timeLimit: Duration
    @Setting package var attempts: Int
    @Setting package var exec: Command?
    @Setting package var request: TaskRequest?
    @Setting package var drain: Bool
    @Setting package var code: Bool
    @Setting package var place: TaskPlace

    package init(_ keys: inout Keys) {
        _every = keys.optional(
            "every",
            "Period of the task. Default: the task runs only on request.",
            .in(.seconds(1) ... .seconds(365 * 86_400)),
            .example("1d")
        )
        _flex = keys.value(
            "flex",
            "Time at the end of a period in which the run may begin early.",
            or: .zero,
            .in(.zero ... .seconds(365 * 86_400)),
            .example("2h")
        )
        _needs = keys.value(
            "needs",
            "Conditions for a run; unknown conditions count as met. A request with the token "
                + "of the user also needs a user, unless 'auth.policy' is anonymous.",
            or: [],
            .example("[network, power]")
        )
        _group = keys.optional("group", "Group of tasks, of which one runs at a time.", .example("upkeep"))
        _atStart = keys.value(
            "atStart",
            "Whether the first run begins at once, instead of after the first period.",
            or: false
        )
        _timeLimit = keys.value(
            "timeLimit",
            "Timeout of a run; a run that exceeds it fails.",
            or: .seconds(600),
            .in(.seconds(1) ... .seconds(86_400))
        )
        _attempts = keys.value(
            "attempts",
            "Maximum number of retries before the next period. The first pause is 30s and doubles.",
            or: 3,
            .in(1...20)
        )
        _exec = keys.optional(
            "exec",
            "Program to run. Exit status 0 means success.",
            .example("[./upkeep, --full]")
        )
        _request = keys.optional(
            "request",
            "Request to send; a status 2xx means success.",
            .example("{ url: api/nightly }")
        )
        _drain = keys.value("drain", "Whether the task retries all queued requests of the outbox.", or: false)
        _code = keys.value("code", "Whether Swift code does the work, registered with 'corewire.tasks'.", or: false)
        _place = keys.value("on", "Where it runs, with a 'persistence.store' that shares tasks.", or: .group)
    }
}

/// Where a task runs, where several machines share the tasks of a file.
package enum TaskPlace: String, Choice {
    case group, machine

    package var help: String {
        switch self {
        case .group: "each occurrence once, on any machine of the group"
        case .machine: "each occurrence on every machine, such as the upkeep of its disk"
        }
    }
}

/// A condition for work to begin.
package enum TaskNeed: String, Choice {
    case network, idle, power, user

    package var help: String {
        switch self {
        case .network: "the network is available; when it is lost, the run is interrupted and repeated later"
        case .idle: "the machine is idle when the run begins"
        case .power: "the machine has external power; when it is lost, the run is interrupted and repeated later"
        case .user: "a user is signed in; at sign-out, the run is interrupted and repeated later"
        }
    }
}

/// A request of a task.
package struct TaskRequest: Record {
    @Setting package var method: TaskRequestMethod
    @Setting package var url: Address
    @Setting package var body: FreeValue?
    @Setting package var authenticated: Bool
    @Setting package var authorization: TokenChoice?
    @Setting package var mustArrive: Bool

    package init(_ keys: inout Keys) {
        _method = keys.value("method", "Method.", or: .post)
        _url = keys.required(
            "url",
            "URL.",
            .takes(.endpoint),
            .example("api/nightly"),
            .standIn(at: "echo")
        )
        _body = keys.optional("body", "Body, sent as JSON.", .example("{ reason: nightly }"))
        _authenticated = keys.value(
            "authenticated",
            "Whether the request carries a token of the user or the app, if the file has 'auth'.",
            or: true
        )
        _authorization = TokenChoice.key(&keys)
        _mustArrive = keys.value(
            "mustArrive",
            "Whether the request goes through the outbox: stored, and sent until it has arrived.",
            or: false
        )
    }
}

/// The method of a task's request.
package enum TaskRequestMethod: String, Choice {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    package var help: String {
        switch self {
        case .get: "reads a resource"
        case .post: "submits data to the server"
        case .put: "replaces a resource"
        case .patch: "changes a resource"
        case .delete: "removes a resource"
        }
    }
}
