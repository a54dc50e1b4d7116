import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry

/// The runner itself: how it is, what it would do, what it is told to do.
struct RunnerRoutes: RouteGroup {
    let control: any RunnerControl
    let clock: Clockwork

    // MARK: Looking

    func status(_ request: Request) -> Response { .json(control.statusWithFiles.json) }

    func environment(_ request: Request) -> Response {
        let status = control.status
        return .json(
            .members([
                "environment": status.environment.map(JSONValue.string), "url": status.url.map(JSONValue.string),
                "environments": .array(status.environments.map(JSONValue.string)),
                "backend": .string(status.backend), "generation": .integer(status.generation),
            ])
        )
    }

    func generations(_ request: Request) async -> Response {
        .json(.members(["generations": .array(await control.generations().map(\.json))]))
    }

    func effectiveFile(_ request: Request) async throws -> Response {
        let number = try generation(of: request)
        guard let text = await control.effectiveFile(of: number) else {
            throw Self.noSuchGeneration("generation \(number) is not kept")
        }
        return Response(
            .ok,
            fields: ["Content-Type": "application/yaml", "Cache-Control": "no-store"],
            body: .bytes(Array(text.utf8))
        )
    }

    private func generation(of request: Request) throws -> Int {
        guard let number = Int(request[parameter: "generation"]), number > 0 else {
            throw Self.noSuchGeneration("a generation is a number: /v1/generations/3")
        }
        return number
    }

    private static func noSuchGeneration(_ detail: String) -> Problem {
        Problem(.notFound, "no-such-generation", "there is no such generation", detail: detail)
    }

    // MARK: Events

    /// How often a silent stream shows that it lives.
    private static let heartbeat = Duration.seconds(15)

    func events(_ request: Request) async throws -> Response {
        let last = try lastEvent(of: request)
        let name = try request.queryText("name") ?? ""
        let follows = try request.queryText("follow") == nil || request.queryFlag("follow")
        let rights = request.rights.tokens
        return follows
            ? stream(control.events.watch(after: last, named: name), rights, hearsOfEnd: Self.end.hasPrefix(name))
            : kept(control.events.kept(after: last, named: name), rights)
    }

    private func lastEvent(of request: Request) throws(Problem) -> UInt64? {
        guard let text = request.fields["Last-Event-ID"] else { return nil }
        if let id = UInt64(text), !text.hasPrefix("+") { return id }
        throw Problem(
            .badRequest,
            "malformed-field",
            "a field is malformed",
            detail: "'Last-Event-ID': found \(text.quoted), expected the id of an event"
        )
    }

    /// What is kept, and at the end the number of the last event there was, so that watching can go on from there.
    private func kept(_ events: (all: [WatchedEvent], last: UInt64), _ rights: TokenRights) -> Response {
        .events { writer in
            for event in events.all { try await writer.write(event.frame(for: rights)) }
            try await writer.write(Array("id: \(events.last)\n\n".utf8))
        }
    }

    /// The event after which streams end.
    private static let end = "runner.stopping"

    private func stream(_ stream: EventStream, _ rights: TokenRights, hearsOfEnd: Bool) -> Response {
        let (clock, control) = (clock, control)
        return .events { writer in
            // A heartbeat waits while an event is written to a reader that takes its time.
            let turnstile = Turnstile()
            let write = { @Sendable bytes in try await turnstile.alone { try await writer.write(bytes) } }
            try await write(ServerSentEvent.heartbeat)
            let ending = control.events.watch(named: Self.end)
            guard control.status.phase != .stopping else { return }
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for await event in stream {
                        try await write(event.frame(for: rights))
                        if case .event(let event) = event, event.name == Self.end { return }
                    }
                }
                group.addTask {
                    while true {
                        try await clock.sleep(Self.heartbeat)
                        try await write(ServerSentEvent.heartbeat)
                    }
                }
                group.addTask {
                    // A watcher is in flight for as long as it watches: the runner would wait for it to the last.
                    for await _ in ending {
                        // A watcher that hears of the end is told of it first.
                        if hearsOfEnd { try await clock.sleep(.seconds(2)) }
                        return
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    // MARK: Changing

    func confirm(_ request: Request) async throws -> Response {
        if !request.body.isEmpty { try request.json { _ in } }
        do throws(Fault) {
            return .json(.members(["confirmed": .boolean(try await control.confirm())]))
        } catch {
            throw Problem(.unavailable, "not-kept", "the generation is not confirmed", detail: error.reason)
        }
    }

    /// Of what runs there is one hash: of several that may be, the one that is.
    private func expectedHash(of request: Request) throws(Problem) -> String? {
        guard let condition = try request.ifMatch(), case .tags(let tags) = condition else { return nil }
        let present = EntityTag(control.status.hash)
        return condition.matchesStrongly(present) ? present.value : tags.first { !$0.isWeak }?.value ?? ""
    }

    enum Kind { case reload, environment, rollback, plan }

    func change(_ request: Request, _ kind: Kind) async throws -> Response {
        let wish: ChangeWish
        var target = RequestedChange.Target.file
        switch kind {
        case .reload: wish = try ChangeWish(request, naming: .file)
        case .rollback:
            wish = try ChangeWish(request, naming: .file)
            target = .generation(try generation(of: request))
        case .environment:
            wish = try ChangeWish(request, naming: .environment)
            if let name = wish.environment { target = .environment(name) }
        case .plan:
            wish = try ChangeWish(request, naming: .anything)
            if let name = wish.environment { target = .environment(name) }
            if let number = wish.generation { target = .generation(number) }
        }
        var change = RequestedChange(target, origin: .api)
        change.isForced = wish.isForced
        change.confirmWithin = wish.confirmWithin
        change.expectedHash = try expectedHash(of: request)
        let report = kind == .plan ? await control.plan(change) : await control.apply(change)
        return report.response
    }
}

extension ChangeReport {
    /// A change that was refused is a problem that carries the whole report.
    fileprivate var response: Response {
        let (status, title): (Status, String)
        switch outcome {
        case .applied, .unchanged, .planned: return .json(json)
        case .rejected: (status, title) = (.unprocessableContent, "the change was refused")
        case .rolledBack: (status, title) = (.conflict, "the next generation did not start")
        case .conflict: (status, title) = (.preconditionFailed, "the condition does not hold")
        }
        let problem = Problem(status, "change-refused", title, detail: reason ?? title)
        guard case .object(let first) = problem.json, case .object(let rest) = json else { return problem.response }
        return .json(.object(first + rest), status: status, type: "application/problem+json")
    }
}
