import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireService
import WireStore
package import WireSyncContract
import WireTelemetry

extension SyncService {
    /// Answers a query according to its policy.
    func answer(_ asked: AskedOperation, _ policy: CachePolicy?) async throws(SyncFailure) -> SyncAnswer {
        let policy = self.policy(policy)
        do throws(SyncFailure) {
            return try await answer(asked, by: policy)
        } catch {
            var failure = error
            if policy.usesCache, error.kind == .notStored || error.kind.letsStoredStandIn, await isHidden(asked) {
                failure.help =
                    "a queued mutation adds to this list, which is then not read from the cache without 'sync.schema';"
                    + " add it, or run 'corewire sync queue'"
            }
            throw failure
        }
    }

    /// Whether the cached list of a query is hidden: the objects that queued mutations add to it are incomplete.
    private func isHidden(_ asked: AskedOperation) async -> Bool {
        guard preparation.documents.schema == nil, let name = asked.prepared.name, let queue else { return false }
        guard settings.mutations.items.contains(where: { item in item.value.adds.contains { $0.text == name } }) else {
            return false
        }
        return (try? await queue.withIndex(queue.repository) { $0.count > 0 }) == true
    }

    private func answer(_ asked: AskedOperation, by policy: CachePolicy) async throws(SyncFailure) -> SyncAnswer {
        switch policy {
        case .noCache: return try await fetch(asked, keeps: false).answer
        case .networkOnly: return try await fetch(asked).answer
        case .cacheOnly:
            guard let answer = try await stored(asked) else { throw Self.notStored(asked) }
            return answer
        case .cacheFirst: return try await cacheFirst(asked)
        case .cacheAndNetwork:
            guard let answer = try await usable(asked) else { return try await fetch(asked).answer }
            renewals.post(asked)
            return answer
        case .networkFirst: return try await networkFirst(asked)
        }
    }

    /// The policy of a request, limited by the file and the offline policy of `network`.
    func policy(_ wanted: CachePolicy?) -> CachePolicy {
        let policy = wanted ?? settings.cache.policy
        guard requests.offlinePolicy == .returnLocalDataDontLoad else { return policy }
        return .cacheOnly
    }

    private func cacheFirst(_ asked: AskedOperation) async throws(SyncFailure) -> SyncAnswer {
        let known = try await usable(asked)
        if let known, !known.isStale { return known }
        do throws(SyncFailure) {
            return try await fetch(asked).answer
        } catch {
            // An expired answer is used only where the file allows it.
            guard requests.offlinePolicy == .loadAndStoreLocalData, error.kind.letsStoredStandIn, let known else {
                throw error
            }
            return known
        }
    }

    private func networkFirst(_ asked: AskedOperation) async throws(SyncFailure) -> SyncAnswer {
        do throws(SyncFailure) {
            return try await fetch(asked).answer
        } catch {
            guard error.kind.letsStoredStandIn, var answer = try await usable(asked) else { throw error }
            answer.isStale = true
            return answer
        }
    }

    private static func notStored(_ asked: AskedOperation) -> SyncFailure {
        let name = asked.prepared.name.map { "query \($0.shown(upTo: 64).quoted)" } ?? "the query"
        return SyncFailure(
            .notStored,
            "the cache has no result for \(name)",
            help: "use a policy that sends a request to the server"
        )
    }

    // MARK: The cache

    /// The answer of the cache, of any age; nil where it is incomplete or the caller may not see it.
    private func usable(_ asked: AskedOperation) async throws(SyncFailure) -> SyncAnswer? {
        guard showRefusal(asked.tokens) == nil else { return nil }
        do throws(SyncFailure) {
            return try await stored(asked)
        } catch {
            // Where the server can be asked, a cache that cannot be read counts as empty.
            host.log.debug("the cache cannot be read", ["reason": .text(error.reason)])
            return nil
        }
    }

    /// The answer where only the cache is used: throws where it may not be shown.
    private func stored(_ asked: AskedOperation) async throws(SyncFailure) -> SyncAnswer? {
        if let refusal = showRefusal(asked.tokens) { throw refusal }
        let cache = await caches.present
        return try SyncFailure.wrapping { () throws(StoreFailure) in
            guard case .hit(let hit) = try cache.read(asked.question) else { return nil }
            return answer(hit, to: asked)
        }
    }

    private func answer(_ hit: CacheHit, to asked: AskedOperation) -> SyncAnswer {
        var answer = SyncAnswer(hit, now: host.clock.wall())
        if let maxAge = asked.maxAge, .seconds(answer.age ?? 0) >= maxAge { answer.isStale = true }
        return answer
    }

    /// The answer from memory, where the policy needs nothing else; returned without waiting.
    func answerAtOnce(_ asked: AskedOperation, _ policy: CachePolicy?) -> SyncAnswer? {
        let policy = self.policy(policy)
        guard policy == .cacheFirst || policy == .cacheOnly, showRefusal(asked.tokens) == nil,
            let hit = caches.ready?.recall(asked.question)
        else { return nil }
        var answer = answer(hit, to: asked)
        guard !answer.isStale || policy == .cacheOnly else { return nil }
        answer.dataText = hit.bytes
        return answer
    }

    /// Why stored data must not be shown to a caller now: the session is locked, or the caller may not use its tokens.
    func showRefusal(_ tokens: TokenRights) -> SyncFailure? {
        guard settings.authenticated else { return nil }
        if let refusal = host.uses.tokens?.refusal(nil) {
            return SyncFailure(refusal)
        }
        let mode: TokenMode = caches.accounts.presence?.user == nil ? .app : .user
        guard tokens.allowSession(of: mode.rawValue) else {
            return SyncFailure(.notSent, "the caller may not use tokens of the \(mode.rawValue)", origin: tokens.origin)
        }
        // The scopes of the token that fetched the data are unknown.
        guard tokens.scopes == nil else {
            return SyncFailure(.notSent, "a caller with limited scopes cannot read cached data", origin: tokens.origin)
        }
        return nil
    }

    // MARK: The server

    /// Whether requests are shared, which requires a running service.
    package var isRunning: Bool { fetches.isRunning }

    /// The number of callers that wait for answers of the server.
    package var waiting: Int { fetches.waiting }

    /// The result of a fetch.
    struct Fetched: Sendable {
        var answer: SyncAnswer
        /// Whether the answer of the cache has changed.
        var isChanged = false
        /// Whether the cache has stored it.
        var isKept = false
        /// Whether the cache has the complete answer.
        var isWhole = false
        /// The time of arrival, on the monotonic clock.
        var time = Duration.zero
        /// Increases from one request to the next.
        var number = 0
        var span = Span()

        /// The generations of the cache when the request was sent, and after its answer was written.
        struct Span: Sendable {
            var sent = 0
            var written = 0
        }
    }

    /// Fetches an answer and stores it, with the changes of queued mutations applied.
    ///
    /// A query in flight is shared. A watcher gives a callback for when the answer is written: changes it was notified
    /// of until then are in the answer.
    func fetch(
        _ asked: AskedOperation,
        keeps: Bool = true,
        after told: SharedFetches.Delivered? = nil,
        settled: (@Sendable () -> Void)? = nil
    ) async throws(SyncFailure) -> Fetched {
        // Another user may be signed in by then: the answer belongs to the user who asked.
        let (cache, before) = (await caches.present, barrier.times)
        guard asked.prepared.kind == .query else {
            defer { fetches.mutated() }
            return try await send(asked, keeps: keeps, cache, since: before)
        }
        let key = SharedFetches.Key(
            region: caches.accounts.region,
            question: asked.question.identity,
            tokens: asked.tokens,
            isKept: keeps,
            moment: [before, Int(cache.clearing), fetches.mutations]
        )
        return try await fetches.fetch(key, after: told, settled: settled) {
            do throws(SyncFailure) {
                return .success(try await self.send(asked, keeps: keeps, cache, since: before))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The numbers of clearings and mutations so far.
    var fetchMoment: [Int] {
        get async { [barrier.times, Int(await caches.present.clearing), fetches.mutations] }
    }

    private func send(
        _ asked: AskedOperation,
        keeps: Bool,
        _ cache: SyncCache,
        since before: Int
    ) async throws(SyncFailure) -> Fetched {
        guard keeps else {
            return Fetched(answer: SyncAnswer(try await server.send(asked, asked.prepared.text)))
        }
        let (clearing, sent) = (cache.clearing, asked.prepared.kind == .query ? cache.moment() : nil)
        let generation = cache.generation
        let response = try await server.send(asked, asked.prepared.typedText)
        var fetched = await keep(response, of: asked, sent: sent, clearing: clearing, in: cache, since: before)
        fetched.span.sent = generation
        return fetched
    }

    /// Sends a mutation with its files at once.
    func send(_ upload: FormUpload, _ asked: AskedOperation) async throws(SyncFailure) -> SyncAnswer {
        let (cache, before) = (await caches.present, barrier.times)
        defer { fetches.mutated() }
        let response = try await server.send(upload, asked)
        return await keep(response, of: asked, in: cache, since: before).answer
    }

    /// Writes a response to the cache, unless that was cleared since.
    func keep(
        _ response: ServerResponse,
        of asked: AskedOperation,
        sent: Moment? = nil,
        clearing: Int64? = nil,
        in cache: SyncCache,
        since before: Int
    ) async -> Fetched {
        var fetched = Fetched(answer: SyncAnswer(response))
        fetched.time = host.clock.monotonic()
        guard let data = response.data else { return fetched }
        // Planned once, for delivering and for writing.
        let plan = cache.plan(cache.resolved(asked.question))
        fetched.answer.data = AnswerProjection(plan).data(data)
        guard response.errors.count <= Self.mostErrors, cache === caches.ready,
            barrier.enter(since: before)
        else { return fetched }
        defer { barrier.leave() }
        do throws(StoreFailure) {
            if asked.prepared.kind == .mutation {
                try await confirm(response, of: asked, in: cache)
                return fetched
            }
            let changed = try await cache.store(
                data,
                errors: response.paths,
                by: plan,
                sent: sent,
                clearing: clearing
            )
            (fetched.isChanged, fetched.isKept) = (!changed.records.isEmpty, true)
            fetched.span.written = changed.generation
            // Errors and gaps are delivered as the server sent them; a complete answer as watchers will see it.
            if response.errors.isEmpty, asked.prepared.kind == .query, cache === caches.ready,
                showRefusal(asked.tokens) == nil, case .hit(let hit) = try cache.read(asked.question)
            {
                (fetched.answer.data, fetched.isWhole) = (hit.answer.data, true)
            }
        } catch {
            host.log.warning("a response was not cached", ["reason": .text(error.reason)])
        }
        return fetched
    }

    /// An answer with more errors is not stored: most of it is missing.
    private static let mostErrors = 1_000

    /// Runs a query again; true where its answer has changed.
    package func refetch(_ asked: AskedOperation) async throws(SyncFailure) -> Bool {
        try await fetch(asked).isChanged
    }
}

extension SyncAnswer {
    init(_ hit: CacheHit, now: Int64) {
        self.init(data: hit.answer.data)
        source = .cache
        let oldest = hit.answer.oldest
        age = oldest == CachedField.ageless ? 0 : Int(max(0, now - oldest) / 1_000)
        isStale = hit.isExpired(at: now)
    }

    init(_ response: ServerResponse) {
        self.init(
            data: response.data,
            errors: response.errors.isEmpty ? nil : response.errors,
            extensions: response.extensions
        )
    }
}

extension SyncFailure {
    init(_ refusal: TokenRefusal) {
        let kind: SyncFailureKind =
            switch refusal.reason {
            case .signedOut: .signedOut
            case .locked: .locked
            case .blocked: .blocked
            case .distrusted: .distrusted
            case .unavailable, .undeclared: .tokenUnavailable
            }
        self.init(kind, refusal.guidance, origin: refusal.origin)
    }
}

extension ServerResponse {
    /// The paths of the errors in the data.
    var paths: [[Normalizer.PathPart]] { errors.paths }
}

extension CachePolicy {
    fileprivate var usesCache: Bool { self != .noCache && self != .networkOnly }
}
