import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireSyncContract
import WireWorkContract

/// Accepts mutations, and waits for them.
extension MutationQueue {
    /// Returns when the mutation is on the disk; a known id names the existing mutation.
    func accept(_ asked: AskedOperation, id given: String?, optimistic: JSONValue?) async throws(SyncFailure)
        -> QueuedMutation
    {
        guard barrier.enter() else { throw SyncFailure(.storeUnavailable, "the queue is being cleared") }
        defer { barrier.leave() }
        let (repository, cache) = (repository, await caches.present)
        let request = accounts.digest(
            Array("\(asked.prepared.text)\n\(ArgumentText.canonical(.object(asked.variables)).text())".utf8)
        )
        let id = given ?? Self.randomText()
        try Self.check(id: id)
        if let known = try await SyncFailure.rethrowing(try await repository.read(id)) {
            return try await again(known, request, repository, cache)
        }
        let mutation = try await SyncFailure.wrapping { () async throws(StoreFailure) in
            // It follows all mutations accepted by other processes, and builds on their effects.
            try await follow(repository)
            return try await draft(id, asked, request, optimistic, repository, cache)
        }
        guard try await SyncFailure.rethrowing(try await repository.records.add(mutation, of: id))
        else {
            guard let known = try await SyncFailure.rethrowing(try await repository.read(id)) else {
                throw SyncFailure(.storeUnavailable, "the mutation \(id.quoted) was removed")
            }
            return try await again(known, request, repository, cache)
        }
        try await SyncFailure.rethrowing(try await withIndex(repository) { $0.record(mutation) })
        do throws(OutboxFailure) {
            _ = try await outbox.post(outboxRequest(mutation, repository))
        } catch {
            try await SyncFailure.wrapping { () async throws(StoreFailure) in
                _ = try await repository.records.remove(id)
                try await withIndex(repository) { $0.remove(id) }
            }
            throw SyncFailure(error)
        }
        if let layer = mutation.shownLayer { cache.show(layer) }
        emit(mutation)
        // It is accepted from here on: a caller that got a failure would send it again.
        do throws(StoreFailure) {
            try await catchUp(mutation, repository, cache)
            // Another process may have sent it before it was shown here.
            try await refresh(id, repository, cache)
        } catch {
            logUnusable(error)
        }
        return mutation
    }

    /// A mutation is identified by its id, here and at the server.
    private static func check(id: String) throws(SyncFailure) {
        let isPrintable = id.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "/") }
        guard (1...200).contains(id.utf8.count), isPrintable, id != ".", id != ".." else {
            throw SyncFailure(
                .invalid,
                "found the id \(id.quoted), expected 1 to 200 visible ASCII characters without '/', and neither '.' nor '..'"
            )
        }
    }

    /// Applies the real ids that have become known since the mutation was drafted.
    @discardableResult
    func catchUp(_ mutation: QueuedMutation, _ repository: MutationRepository, _ cache: SyncCache)
        async throws(StoreFailure) -> QueuedMutation
    {
        let names = Set(TemporaryID.all(in: mutation.variables.text()) + TemporaryID.all(in: mutation.target ?? ""))
        let rewritings = names.compactMap(cache.rewriting(of:))
        guard !rewritings.isEmpty else { return mutation }
        let edited = try await edit(mutation.id, on: repository) { mutation in
            for rewriting in rewritings { mutation.rewrite(rewriting) }
        }
        return edited ?? mutation
    }

    /// A repeated mutation; where a process ended before posting it to the outbox, it is posted now.
    private func again(_ known: QueuedMutation, _ request: String, _ repository: MutationRepository, _ cache: SyncCache)
        async throws(SyncFailure) -> QueuedMutation
    {
        guard known.request == request else {
            throw SyncFailure(
                .otherMutation,
                "the id \(known.id.quoted) belongs to another mutation",
                help: "use a new id"
            )
        }
        guard !known.state.hasEnded else { return known }
        do throws(OutboxFailure) {
            _ = try await outbox.post(outboxRequest(known, repository))
        } catch {
            throw SyncFailure(error)
        }
        // Another process may have accepted it, and callers expect to see it here as well.
        do throws(StoreFailure) {
            try await follow(repository)
            try await refresh(known.id, repository, cache)
        } catch {
            logUnusable(error)
        }
        return known
    }

    private func draft(
        _ id: String,
        _ asked: AskedOperation,
        _ request: String,
        _ optimistic: JSONValue?,
        _ repository: MutationRepository,
        _ cache: SyncCache
    ) async throws(StoreFailure) -> QueuedMutation {
        let question = cache.resolved(asked.question)
        let rules = rules(for: asked.prepared.name)
        let lists = MutationLists(schema: schema, operations: preparation.documents.operations)
        let targets = MutationForm(question.operation, question.variables, schema).map {
            lists.targets(of: $0.type, adds: rules?.adds.map(\.text) ?? [])
        }
        let draft = try OptimisticDraft(question, given: optimistic, lists: targets ?? [], cache, schema) {
            TemporaryID.prefix + Self.randomText()
        }
        let place = accounts.digest(Array(repository.region.utf8)).prefix(12)
        var mutation = QueuedMutation(
            id,
            asked,
            request: request,
            variables: cache.resolved(.object(asked.variables)),
            made: now,
            order: try await withIndex(repository) { $0.nextOrder(at: now) },
            lane: ["sync", rules?.lane, String(place)].compactMap { $0 }.joined(separator: "/")
        )
        mutation.layer = draft.changes.isEmpty ? nil : OptimisticLayer(id, draft.changes).json
        (mutation.expected, mutation.temporary) = (draft.data, draft.temporary)
        (mutation.target, mutation.base) = (draft.target?.text, draft.base)
        return mutation
    }

    static func randomText() -> String { Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max) }) }

    /// The request in the outbox; its body is built when it is sent.
    func outboxRequest(_ mutation: QueuedMutation, _ repository: MutationRepository) -> OutboxRequest {
        var request = OutboxRequest(.post, settings.url.text, lane: mutation.lane, service: SyncSection.name)
        request.id = "sync-" + accounts.digest(Array("\(repository.region) \(mutation.id)".utf8)).prefix(32)
        request.authorization = settings.authenticated ? .usual : .none
        request.tokenRights = mutation.tokens
        request.idField = Self.keyField
        // Its record and its layer of the cache are on this machine.
        (request.needsDelegate, request.isLocal) = (true, true)
        request.storesResponse = false
        request.note = .members(["region": .string(repository.region), "mutation": .string(mutation.id)])
        return request
    }

    static let keyField = "Idempotency-Key"

    // MARK: Waiting

    /// Returns when the mutation has ended, awaits a decision or can only be sent later; at the latest after a time.
    func wait(for mutation: QueuedMutation, atMost limit: Duration, _ ending: OneShot) async -> QueuedMutation {
        let repository = repository
        let latest = LatestMutation(mutation)
        guard limit > .zero else { return mutation }
        let (clock, changeListeners, stalled) = (host.clock, changeListeners, stalled)
        await firstOf([
            {
                for await _ in changeListeners.listen(beginningWith: ()) {
                    let found: QueuedMutation?
                    // A store that fails is read again at the next change.
                    do throws(StoreFailure) { found = try await repository.read(mutation.id) } catch { continue }
                    guard let found else { return }
                    latest.set(found)
                    if found.isSettled || stalled.contains(mutation.lane) { return }
                }
            },
            { try? await clock.sleep(limit) },
            { await ending.wait() },
        ])
        return latest.value
    }

    /// The answer of a mutation for callers.
    func answer(_ mutation: QueuedMutation) async -> SyncAnswer {
        var answer: SyncAnswer
        switch mutation.state {
        case .confirmed:
            answer = SyncAnswer(data: await project(mutation.data, of: mutation), errors: mutation.errors)
        case .failed:
            let error = JSONValue.members(["message": .string(mutation.reason ?? "the mutation has failed")])
            answer = SyncAnswer(data: nil, errors: mutation.errors ?? [error])
        case .accepted, .sent, .conflict:
            answer = SyncAnswer(data: await project(mutation.expected, of: mutation))
            answer.source = .queue
        }
        (answer.id, answer.state) = (mutation.id, mutation.state)
        return answer
    }

    private func project(_ data: JSONValue?, of mutation: QueuedMutation) async -> JSONValue? {
        guard let data, let asked = try? asked(mutation) else { return data }
        return AnswerProjection(await caches.present.plan(asked.question)).data(data)
    }
}

extension QueuedMutation {
    /// Whether nothing more happens to it without a caller.
    fileprivate var isSettled: Bool {
        switch state {
        case .confirmed: isApplied
        case .failed, .conflict: true
        case .accepted, .sent: false
        }
    }
}

/// The last known state of a mutation while a caller waits for it.
private final class LatestMutation: Sendable {
    private let state: Mutex<QueuedMutation>

    init(_ mutation: QueuedMutation) { state = Mutex(mutation) }

    func set(_ mutation: QueuedMutation) { state.withLock { $0 = mutation } }

    var value: QueuedMutation { state.withLock { $0 } }
}

extension SyncFailure {
    fileprivate init(_ failure: OutboxFailure) {
        let kind: SyncFailureKind =
            switch failure.kind {
            case .full: .queueFull
            case .ending: .ending
            case .storeUnavailable: .storeUnavailable
            default: .invalid
            }
        self.init(kind, failure.reason, help: failure.help, origin: failure.origin)
    }
}
