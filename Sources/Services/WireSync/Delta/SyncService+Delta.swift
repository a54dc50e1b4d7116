import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireSyncContract
import WireTelemetry

extension SyncService {
    /// Keeps the types of `sync.delta` up to date for the present user, until cancelled.
    func runDelta() async {
        guard !settings.delta.items.isEmpty else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followLink() }
            for item in settings.delta.items {
                group.addTask { await DeltaLoop(type: item.name, rules: item.value, service: self).run() }
            }
        }
    }

    /// Asks again when the network returns.
    private func followLink() async {
        guard let connectivity = host.uses.connectivity else { return }
        var former = connectivity.isOnline
        for await isOnline in connectivity.changes() {
            if isOnline, !former { delta.wake() }
            former = isOnline
        }
    }
}

/// Asks the server repeatedly for the changes of one type.
private struct DeltaLoop: Sendable {
    let type: String
    let rules: DeltaRules
    let service: SyncService

    private static let backoff = (min: Duration.seconds(1), max: Duration.seconds(300))
    private var clock: TimeSource { service.host.clock }

    func run() async {
        let wakeup = service.delta.wakeup(of: type)
        var failures = 0
        while !Task.isCancelled, !service.ending.hasFired {
            do throws(SyncFailure) {
                try await round()
                failures = 0
                note(nil)
            } catch {
                guard !Task.isCancelled else { return }
                failures = min(failures + 1, 32)
                note(error)
            }
            await wait(pause(failures), wakeup)
        }
    }

    private func pause(_ failures: Int) -> Duration? {
        guard failures > 0 else { return rules.every > .zero ? rules.every : nil }
        return min(Self.backoff.min * (1 << min(failures - 1, 20)), Self.backoff.max) * Double.random(in: 0.5...1)
    }

    private func note(_ failure: SyncFailure?) {
        let now = clock.wall()
        service.delta.edit(type) { shown in
            shown.lastError = failure?.reason.shown(upTo: 300)
            if failure == nil { shown.lastRun = now }
        }
        let part = "delta \(type)"
        guard let failure else { return service.health.report(part, nil) }
        guard !failure.kind.passesByItself else { return }
        let reason = "objects of the type \(type.quoted) are not updated: \(failure.reason)"
        service.health.report(
            part,
            service.host.fault(reason, at: rules.$query, "sync.delta.\(type).query", help: failure.help)
        )
    }

    private func wait(_ pause: Duration?, _ wakeup: Wakeup) async {
        service.delta.edit(type) { $0.next = pause.map { clock.wall() + $0.milliseconds } }
        await firstOf([
            { await wakeup.next() },
            { if let pause { try? await clock.sleep(pause) } else { await untilCancelled() } },
            { await service.ending.wait() },
        ])
    }

    // MARK: One round

    private func round() async throws(SyncFailure) {
        if let refusal = service.showRefusal(.all) { throw refusal }
        let round = try await DeltaRound(type: type, rules: rules, service: service)
        do throws(SyncFailure) {
            try await round.run()
        } catch {
            // The server may no longer know the time; all objects are requested then.
            guard error.kind == .refused, try round.position != nil else { throw error }
            try await round.run(whole: true)
        }
    }
}

/// One update: as many requests as it takes, into the cache of the user it began for.
private struct DeltaRound: Sendable {
    let type: String
    let rules: DeltaRules
    let service: SyncService
    let cache: SyncCache
    let since: Int
    let clearing: Int64
    let prepared: PreparedOperation
    let form: DeltaForm
    let lists: [CacheQuestion]

    private static let mostRequests = 10_000

    init(type: String, rules: DeltaRules, service: SyncService) async throws(SyncFailure) {
        (self.type, self.rules, self.service) = (type, rules, service)
        (cache, since) = (await service.caches.present, service.barrier.times)
        clearing = cache.clearing
        prepared = try service.prepared(rules.query.text, nil, expected: .query)
        guard let form = DeltaForm(prepared.operation) else {
            throw SyncFailure(.invalid, "the query \(rules.query.text.quoted) is not a delta query")
        }
        self.form = form
        var lists: [CacheQuestion] = []
        for name in rules.adds {
            let list = try service.prepared(name.text, nil, expected: .query)
            lists.append(try service.asked(list, [], tokens: .all).question)
        }
        self.lists = lists
    }

    /// The position of the type; nil where it is unknown, or from another query.
    var position: DeltaPosition? {
        get throws(SyncFailure) {
            let found = try SyncFailure.rethrowing(try cache.deltaPosition(of: type))
            return found?.query == prepared.text ? found : nil
        }
    }

    /// Requests the changes since the position, or all objects.
    func run(whole: Bool = false) async throws(SyncFailure) {
        let begin = whole ? nil : try position
        // Without a position, the answers from the beginning contain all objects.
        let whole = begin == nil
        var (last, told): (JSONValue, Set<RecordKey>) = (begin?.lastSync ?? .integer(0), [])
        let began = cache.moment()
        var isAll = false
        for _ in 0..<Self.mostRequests {
            let asked = try asked(since: last)
            let answer = try await ask(asked)
            // The server has forgotten deletions from so long ago; a server whose time went back has lost the time.
            if let former = begin?.lastSync.deltaTime, let now = answer.lastSync.deltaTime,
                now < former || now - former > rules.ttl.milliseconds
            {
                return try await run(whole: true)
            }
            let isFull = isFull(answer, asked)
            // Objects that a full answer omits come later only where its time is that of the last object.
            let isComplete = !isFull || answer.endsAtLastObject ?? true
            let isLater = isComplete && (answer.lastSync.deltaTime ?? 0) > (last.deltaTime ?? 0)
            if isLater { last = answer.lastSync }
            let keys = try await take(
                answer,
                asked,
                upTo: whole ? nil : DeltaPosition(last, query: prepared.text),
                last
            )
            if whole { told.formUnion(keys) }
            isAll = !isFull
            // A server may have a limit of its own.
            guard isLater, isFull || answer.endsAtLastObject == true else { break }
        }
        service.delta.edit(type) { [isAll] in $0.isTruncated = !isAll }
        // Stored only once deleted objects were removed: an incomplete round is repeated.
        guard whole, isAll else { return }
        let (all, position) = (told, DeltaPosition(last, query: prepared.text))
        try await write { () async throws(StoreFailure) in
            try await cache.forget(type, but: all, since: began, clearing: clearing)
            try await cache.mark(type, position, at: began, clearing: clearing)
        }
    }

    private func asked(since last: JSONValue) throws(SyncFailure) -> AskedOperation {
        let templates = rules.variables.map { VariableTemplates(JSONValue($0.literal)) }
        var variables = try service.filled(templates) { service.claim($0) }
        variables.put(last, under: DeltaForm.variable)
        return try service.asked(prepared, variables, tokens: .all)
    }

    private func ask(_ asked: AskedOperation) async throws(SyncFailure) -> DeltaAnswer {
        let sent = cache.moment()
        let response = try await service.server.send(asked, prepared.typedText)
        guard response.errors.isEmpty, let data = response.data else {
            let isTransient = response.errors.contains { error in
                error["extensions"]?["code"]?.string.map(MutationAnswer.transientCodes.contains) ?? false
            }
            throw SyncFailure(
                isTransient ? .serverFailed : .refused,
                response.complaint ?? "the server rejected the request"
            )
        }
        guard let answer = DeltaAnswer(data, form, of: type, sent: sent) else {
            throw SyncFailure(
                .malformed,
                "the response lacks \(form.items.quoted), or \(form.lastSync.quoted) in milliseconds"
            )
        }
        return answer
    }

    /// Whether an answer has the requested maximum of objects, so that there may be more.
    private func isFull(_ answer: DeltaAnswer, _ asked: AskedOperation) -> Bool {
        let plan = cache.plan(asked.question)
        guard case .field(let field)? = prepared.operation.selections.selections.first,
            let limit = plan.arguments(of: field).first(where: { $0.key == "limit" })?.value.integer
        else { return false }
        return answer.count >= limit
    }

    private func take(
        _ answer: DeltaAnswer,
        _ asked: AskedOperation,
        upTo position: DeltaPosition?,
        _ last: JSONValue
    ) async throws(SyncFailure) -> Set<RecordKey> {
        let told = try await write { () async throws(StoreFailure) in
            try await cache.store(
                answer,
                to: asked.question,
                form,
                of: type,
                adding: lists,
                upTo: position,
                clearing: clearing
            )
        }
        guard let told else {
            throw SyncFailure(
                .tooLarge,
                "the response has more objects than the limit",
                help: "declare the variable '$limit' and set it in 'variables'"
            )
        }
        service.delta.edit(type) { shown in
            shown.lastSync = last.string ?? last.text()
            shown.changed += answer.count - answer.deleted.count
            shown.deleted += answer.deleted.count
        }
        return told
    }

    /// Writes, unless the cache was cleared since the round began, or another user is signed in.
    private func write<Value>(_ work: () async throws(StoreFailure) -> Value) async throws(SyncFailure) -> Value {
        guard cache === service.caches.ready, service.barrier.enter(since: since) else {
            throw SyncFailure(.cancelled, "the cache was cleared, or another user is signed in")
        }
        defer { service.barrier.leave() }
        let value = try await SyncFailure.wrapping(work)
        guard cache.clearing == clearing else { throw SyncFailure(.cancelled, "the cache was cleared") }
        return value
    }
}
