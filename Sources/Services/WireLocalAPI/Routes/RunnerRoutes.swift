import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract
import WireService
import WireTelemetry

/// The runner itself: its status, its generations, and requests to change them.
struct RunnerRoutes: RouteGroup {
    let control: any RunnerControl
    let clock: TimeSource

    // MARK: Reading

    func status(_ request: APIRequest<NoInput>) async throws(ChangeFailure) -> APIReply<RunnerStatus> {
        APIReply(await control.statusWithFiles)
    }

    func environment(_ request: APIRequest<NoInput>) throws(ChangeFailure) -> APIReply<RunnerEnvironments> {
        APIReply(RunnerEnvironments(control.status))
    }

    func generations(_ request: APIRequest<NoInput>) async throws(ChangeFailure) -> APIReply<Generations> {
        APIReply(Generations(await control.generations()))
    }

    func effectiveFile(_ request: Request) async throws -> Response {
        guard let number = Int(request[parameter: "generation"]), number > 0 else {
            throw Problem(ChangeFailure(.noSuchGeneration, "a generation is a number: /v1/generations/3"))
        }
        guard let text = await control.effectiveFile(of: number) else {
            throw Problem(ChangeFailure(.noSuchGeneration, "unknown generation \(number): not stored"))
        }
        return Response(
            .ok,
            fields: ["Content-Type": "application/yaml", "Cache-Control": "no-store"],
            body: .bytes(Array(text.utf8))
        )
    }

    // MARK: Events

    /// The heartbeat interval of a silent stream.
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

    /// The stored events, with the number of the last event, after which a subscriber can continue.
    private func kept(_ events: (all: [WatchedEvent], last: UInt64), _ rights: TokenRights) -> Response {
        .events { writer in
            for event in events.all { try await writer.write(event.frame(for: rights)) }
            try await writer.write(Array("id: \(events.last)\n\n".utf8))
        }
    }

    /// The event after which streams end.
    private static let end = RunnerEvents.stopping.rawValue

    private func stream(_ stream: EventStream, _ rights: TokenRights, hearsOfEnd: Bool) -> Response {
        let (clock, control) = (clock, control)
        return .events { writer in
            // A heartbeat waits while an event is written to a slow reader.
            let mutex = AsyncMutex()
            let write = { @Sendable bytes in try await mutex.alone { try await writer.write(bytes) } }
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
                    // A subscriber would keep the runner waiting during the drain.
                    for await _ in ending {
                        // A subscriber of the last event receives that event before the end.
                        if hearsOfEnd { try await clock.sleep(.seconds(2)) }
                        return
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    // MARK: Changes

    func confirm(_ request: APIRequest<NoInput>) async throws(ChangeFailure) -> APIReply<Confirmation> {
        do throws(Fault) {
            return APIReply(Confirmation(try await control.confirm()))
        } catch {
            throw ChangeFailure(.notKept, error.reason)
        }
    }

    func use(_ request: APIRequest<SwitchRequest>) async throws(ChangeFailure) -> APIReply<ChangeReport> {
        try reply(await control.apply(change(.environment(request.environment), request.options)))
    }

    func reload(_ request: APIRequest<ReloadRequest>) async throws(ChangeFailure) -> APIReply<ChangeReport> {
        try reply(await control.apply(change(.file, request.options)))
    }

    func rollback(_ request: APIRequest<RollbackRequest>) async throws(ChangeFailure) -> APIReply<ChangeReport> {
        try reply(await control.apply(change(.generation(request.generation), request.options)))
    }

    func plan(_ request: APIRequest<PlanRequest>) async throws(ChangeFailure) -> APIReply<ChangeReport> {
        let target: RequestedChange.Target? =
            request.environment.map { .environment($0) } ?? request.generation.map { .generation($0) }
        return try reply(await control.plan(change(target ?? .file, request.options)))
    }

    private func change(_ target: RequestedChange.Target, _ options: ChangeOptions) -> RequestedChange {
        var change = RequestedChange(target, origin: .api)
        (change.isForced, change.confirmWithin) = (options.isForced, options.confirmWithin)
        change.expectedHash = options.condition.flatMap(expectedHash)
        return change
    }

    /// Only one configuration runs: of several hashes, its one counts.
    private func expectedHash(of condition: TagCondition) -> String? {
        guard case .tags(let tags) = condition else { return nil }
        let present = EntityTag(control.status.hash)
        return condition.matchesStrongly(present) ? present.value : tags.first { !$0.isWeak }?.value ?? ""
    }

    /// A refused change is a failure with the whole report.
    private func reply(_ report: ChangeReport) throws(ChangeFailure) -> APIReply<ChangeReport> {
        guard let kind = report.outcome.failure else { return APIReply(report) }
        throw ChangeFailure(kind, report.reason ?? kind.facts.title, carrying: report.json)
    }
}
