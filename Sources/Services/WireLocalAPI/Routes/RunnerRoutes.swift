import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry

/// The runner itself: how it is, what it would do, what it is told to do.
struct RunnerRoutes {
    let control: any RunnerControl
    let clock: Clockwork

    private static let json = Route.BodyRule.collected(types: ["application/json"], upTo: .kibibytes(64))

    var routes: [Route] {
        [
            Route(.get, "/v1/status", "How the runner and its services are.", access: .read, .snapshot(status)),
            Route(
                .get,
                "/v1/environment",
                "The environment that runs, and those there are.",
                access: .read,
                .snapshot(environment)
            ),
            Route(
                .put,
                "/v1/environment",
                "Switch to another environment: {\"environment\": \"stage\"}.",
                access: .admin,
                body: Self.json,
                .work { try await change($0, .environment) }
            ),
            Route(
                .post,
                "/v1/reload",
                "Read the file again, and make what it says the next generation.",
                access: .admin,
                body: Self.json,
                inputs: [.init(.header, "If-Match", "The hash of the content that must run for it to happen.")],
                .work { try await change($0, .reload) }
            ),
            Route(
                .post,
                "/v1/plan",
                "What a reload, a switch or a rollback would do, without doing it.",
                access: .admin,
                body: Self.json,
                .work { try await change($0, .plan) }
            ),
            Route(
                .post,
                "/v1/confirm",
                "Keep the generation that waits to be confirmed.",
                access: .admin,
                body: Self.json,
                .work { _ in .json(.members(["confirmed": .boolean(await control.confirm())])) }
            ),
            Route(.get, "/v1/generations", "The generations that are kept.", access: .read, .work(generations)),
            Route(
                .get,
                "/v1/generations/{generation}",
                "What a generation was made of, secrets redacted.",
                access: .read,
                .work(effectiveFile)
            ),
            Route(
                .post,
                "/v1/generations/{generation}/rollback",
                "Make what an earlier generation was made of the next one.",
                access: .admin,
                body: Self.json,
                .work { try await change($0, .rollback) }
            ),
            Route(
                .get,
                "/v1/events",
                "What happens, as server-sent events.",
                access: .read,
                inputs: [
                    .init(.query, "name", "Only events whose names begin so."),
                    .init(.query, "follow", "false for the events that are kept, and an end after them."),
                    .init(.header, "Last-Event-ID", "Go on after this event."),
                ],
                .work(events)
            ),
        ]
    }

    // MARK: Looking

    private func status(_ request: Request) -> Response { .json(control.status.json) }

    private func environment(_ request: Request) -> Response {
        let status = control.status
        return .json(
            .members([
                "environment": status.environment.map(JSONValue.string),
                "environments": .array(status.environments.map(JSONValue.string)),
                "backend": .string(status.backend), "generation": .integer(status.generation),
            ])
        )
    }

    private func generations(_ request: Request) async -> Response {
        .json(.members(["generations": .array(await control.generations().map(\.json))]))
    }

    private func effectiveFile(_ request: Request) async throws -> Response {
        let number = try generation(of: request)
        guard let text = await control.effectiveFile(of: number) else { throw notKept(number) }
        return Response(
            .ok,
            fields: ["Content-Type": "application/yaml", "Cache-Control": "no-store"],
            body: .bytes(Array(text.utf8))
        )
    }

    private func generation(of request: Request) throws -> Int {
        guard let number = Int(request[parameter: "generation"]), number > 0 else {
            throw Problem(.notFound, "not-found", "not found", detail: "a generation is a number: /v1/generations/3")
        }
        return number
    }

    private func notKept(_ number: Int) -> Problem {
        Problem(.notFound, "not-found", "not found", detail: "generation \(number) is not kept")
    }

    // MARK: Events

    /// How often a silent stream shows that it lives.
    private static let heartbeat = Duration.seconds(15)

    private func events(_ request: Request) async throws -> Response {
        let last = try request.fields["Last-Event-ID"].map { text in
            guard let id = UInt64(text) else {
                throw Problem(.badRequest, "bad-field", "wrong field", detail: "'Last-Event-ID' is a number")
            }
            return id
        }
        let name = request.query("name") ?? ""
        switch request.query("follow") {
        case nil, "true": return stream(control.events.watch(after: last, named: name))
        case "false": return kept(control.events.kept(after: last, named: name))
        default: throw Problem(.badRequest, "bad-query", "wrong query", detail: "'follow' is 'true' or 'false'")
        }
    }

    /// What is kept, and at the end the number of the last event there was, so that watching can go on from there.
    private func kept(_ events: (all: [WatchedEvent], last: UInt64)) -> Response {
        Self.stream { writer in
            for event in events.all { try await writer.write(event.frame) }
            try await writer.write(Array("id: \(events.last)\n\n".utf8))
        }
    }

    private static func stream(_ write: @escaping @Sendable (any BodyWriter) async throws -> Void) -> Response {
        Response(
            .ok,
            fields: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"],
            body: .stream(write)
        )
    }

    private func stream(_ stream: EventStream) -> Response {
        let (clock, control) = (clock, control)
        return Self.stream { writer in
            try await writer.write(ServerSentEvent.heartbeat)
            let ending = control.events.watch(named: "runner.stopping")
            guard control.status.phase != .stopping else { return }
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for await event in stream { try await writer.write(event.frame) }
                }
                group.addTask {
                    while true {
                        try await clock.sleep(Self.heartbeat)
                        try await writer.write(ServerSentEvent.heartbeat)
                    }
                }
                group.addTask {
                    // A watcher is in flight for as long as it watches: the runner would wait for it to the last.
                    for await _ in ending { return }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    // MARK: Changing

    private enum Kind { case reload, environment, rollback, plan }

    private func change(_ request: Request, _ kind: Kind) async throws -> Response {
        let wish: ChangeWish
        var target = RequestedChange.Target.file
        switch kind {
        case .reload: wish = try ChangeWish(request, naming: .file)
        case .rollback:
            wish = try ChangeWish(request, naming: .file)
            target = .generation(try generation(of: request))
        case .environment:
            wish = try ChangeWish(request, naming: .environment)
            guard let name = wish.environment else {
                throw Problem(
                    .unprocessableContent,
                    "body",
                    "the body is not what is expected here",
                    detail: "expected {\"environment\": \"stage\"}"
                )
            }
            target = .environment(name)
        case .plan:
            wish = try ChangeWish(request, naming: .anything)
            if let name = wish.environment { target = .environment(name) }
            if let number = wish.generation { target = .generation(number) }
        }
        var change = RequestedChange(target, origin: .api)
        change.isForced = wish.isForced
        change.confirmWithin = wish.confirmWithin
        change.expectedHash = request.fields["If-Match"].map { $0.filter { $0 != "\"" } }
        let report = kind == .plan ? await control.plan(change) : await control.apply(change)
        return report.response
    }
}

/// What the body of a change says.
private struct ChangeWish {
    var environment: String?
    var generation: Int?
    var isForced = false
    var confirmWithin: Duration?

    /// Every kind of change reads the members that mean something for it, and refuses the others.
    init(_ request: Request, naming target: Target) throws(Problem) {
        guard !request.body.isEmpty else { return }
        self = try request.json { (members) throws(Problem) in
            var wish = ChangeWish()
            switch target {
            case .file: break
            case .environment: wish.environment = try members.text("environment")
            case .anything:
                wish.environment = try members.textIfAny("environment")
                wish.generation = try members.integerIfAny("generation", in: 1...Int(Int32.max))
            }
            wish.isForced = try members.booleanIfAny("force") ?? false
            wish.confirmWithin = try members.integerIfAny("confirmWithinSeconds", in: 1...86_400).map { .seconds($0) }
            return wish
        }
    }

    private init() {}

    enum Target { case file, environment, anything }
}

extension ChangeReport {
    /// A change that was refused is a problem that carries the whole report.
    fileprivate var response: Response {
        let (status, title): (Status, String)
        switch outcome {
        case .applied, .unchanged, .planned: return .json(json)
        case .rejected: (status, title) = (.unprocessableContent, "the file was refused")
        case .rolledBack: (status, title) = (.conflict, "the next generation did not start")
        case .conflict: (status, title) = (.preconditionFailed, "the condition does not hold")
        }
        let problem = Problem(status, "change-refused", title, detail: reason ?? title)
        guard case .object(let first) = problem.json, case .object(let rest) = json else { return problem.response }
        return .json(.object(first + rest), status: status, type: "application/problem+json")
    }
}
