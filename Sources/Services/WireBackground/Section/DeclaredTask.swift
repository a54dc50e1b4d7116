public import WireConfig

/// Work that comes again, or is done when somebody asks for it.
public struct DeclaredTask: Record {
    /// How often it is done.
    @Setting public var every: Duration?
    /// How long before its time it may begin.
    @Setting public var flex: Duration
    /// What must be there for it to begin.
    @Setting public var needs: [TaskNeed]
    /// What it is never done beside.
    @Setting public var group: Identifier?
    /// Whether it is done at once where it never was.
    @Setting public var atStart: Bool
    /// How long it may take.
    @Setting public var timeLimit: Duration
    /// How often it is tried before its next time.
    @Setting public var attempts: Int
    /// The program that is run.
    @Setting public var exec: Command?
    /// The request that is sent.
    @Setting public var request: TaskRequest?
    /// Whether all that waits in the outbox is tried.
    @Setting public var drain: Bool
    /// Whether Swift code does it.
    @Setting public var code: Bool

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
public enum TaskNeed: String, Choice {
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
public struct TaskRequest: Record {
    /// What it wants done.
    @Setting public var method: TaskRequestMethod
    /// Where it goes.
    @Setting public var url: Address
    /// What it carries.
    @Setting public var body: FreeValue?
    /// Whether it carries a token.
    @Setting public var authenticated: Bool
    /// Whose token it carries; by `authenticated` where nil.
    @Setting public var authorization: TokenChoice?
    /// Whether it is written down and sent until it has arrived.
    @Setting public var mustArrive: Bool

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
public enum TaskRequestMethod: String, Choice {
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
