package import WireConfig

/// Work that comes again, or is done when somebody asks for it.
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

    package init(_ keys: inout Keys) {
        _every = keys.optional(
            "every",
            "How often it is done; only when somebody asks for it when absent.",
            .in(.seconds(1) ... .seconds(365 * 86_400)),
            .example("1d")
        )
        _flex = keys.value(
            "flex",
            "How long before its time it may begin: as soon as what it needs is there, or beside other work.",
            or: .zero,
            .in(.zero ... .seconds(365 * 86_400)),
            .example("2h")
        )
        _needs = keys.value(
            "needs",
            "What must be there for it to begin; what the machine does not tell is taken to be there. A request with the token "
                + "of the user needs a user as well, unless 'auth.policy' is anonymous.",
            or: [],
            .example("[network, power]")
        )
        _group = keys.optional("group", "Of one group nothing is done beside another.", .example("upkeep"))
        _atStart = keys.value(
            "atStart",
            "Whether it is done at once where it never was, instead of when its first period is over.",
            or: false
        )
        _timeLimit = keys.value(
            "timeLimit",
            "How long it may take; what takes longer is ended, and has failed.",
            or: .seconds(600),
            .in(.seconds(1) ... .seconds(86_400))
        )
        _attempts = keys.value(
            "attempts",
            "How often it is tried before its next time, after waits from 30s that double.",
            or: 3,
            .in(1...20)
        )
        _exec = keys.optional(
            "exec",
            "The program that is run; it is done when that ends with 0.",
            .example("[./upkeep, --full]")
        )
        _request = keys.optional(
            "request",
            "The request that is sent; it is done when the server answers with 2xx.",
            .example("{ url: api/nightly }")
        )
        _drain = keys.value("drain", "Whether all that waits in the outbox is tried.", or: false)
        _code = keys.value("code", "Whether Swift code does it, which 'corewire.tasks' takes.", or: false)
    }
}

/// What must be there for work to begin.
package enum TaskNeed: String, Choice {
    case network, idle, power, user

    package var help: String {
        switch self {
        case .network: "servers can be reached; where that ends the work is ended, and done again later"
        case .idle: "the machine has little else to do when it begins"
        case .power: "it is not running on a battery; where that ends the work is ended, and done again later"
        case .user: "a user is signed in; at sign-out the work is ended, and done again later"
        }
    }
}

/// A request that a task sends.
package struct TaskRequest: Record {
    @Setting package var method: TaskRequestMethod
    @Setting package var url: Address
    @Setting package var body: FreeValue?
    @Setting package var authenticated: Bool
    @Setting package var authorization: TokenChoice?
    @Setting package var mustArrive: Bool

    package init(_ keys: inout Keys) {
        _method = keys.value("method", "What it wants done.", or: .post)
        _url = keys.required(
            "url",
            "Where it goes.",
            .takes(.endpoint),
            .example("api/nightly"),
            .standIn(at: "echo")
        )
        _body = keys.optional("body", "What it carries, sent as JSON.", .example("{ reason: nightly }"))
        _authenticated = keys.value(
            "authenticated",
            "Whether it carries a token of the signed-in user or the app, where the file has a section that gives tokens.",
            or: true
        )
        _authorization = TokenChoice.key(&keys)
        _mustArrive = keys.value(
            "mustArrive",
            "Whether it goes through the outbox: done when it is written down, and sent until it has arrived.",
            or: false
        )
    }
}

/// What a request wants done.
package enum TaskRequestMethod: String, Choice {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    package var help: String {
        switch self {
        case .get: "asks, and changes nothing"
        case .post: "gives something to the server"
        case .put: "replaces something there"
        case .patch: "changes something there"
        case .delete: "removes something there"
        }
    }
}
