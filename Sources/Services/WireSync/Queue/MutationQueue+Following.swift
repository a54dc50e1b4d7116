import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireSyncContract
import WireTelemetry
import WireWorkContract

/// Recovers mutations of an earlier run, and follows other processes of the group.
extension MutationQueue {
    /// Runs for one user until cancelled; begins again where the store fails.
    func run() async {
        let repository = repository
        while !Task.isCancelled {
            do throws(StoreFailure) {
                return try await run(repository)
            } catch {
                if Task.isCancelled || error.isFinal || error.kind == .closed { return }
                logUnusable(error)
                try? await host.clock.sleep(.seconds(5))
            }
        }
    }

    private func run(_ repository: MutationRepository) async throws(StoreFailure) {
        let start = try await repository.records.latest()
        // New mutations wait, so that they come after all existing ones in the outbox and the layers.
        try await following.alone { () async throws(StoreFailure) in
            followed.withLock { $0 = (repository.region, start) }
            try await recover(repository)
        }
        while !Task.isCancelled, await caches.present(in: repository.region) != nil {
            if try await follow(repository) { continue }
            _ = try await repository.store.changed(after: followed.withLock { $0?.version } ?? start)
        }
    }

    /// Completes interrupted ends, posts requests that the outbox may lack, and shows changes since the cache was
    /// filled.
    private func recover(_ repository: MutationRepository) async throws(StoreFailure) {
        guard let cache = await caches.present(in: repository.region) else { return }
        let mutations = try await repository.show(in: cache, unreadable: logUnusable)
        index(mutations, repository)
        for mutation in mutations {
            guard barrier.enter() else { return }
            defer { barrier.leave() }
            do throws(StoreFailure) {
                if mutation.state == .confirmed, !mutation.isApplied { try await apply(mutation, repository, cache) }
                if !mutation.state.hasEnded { try await post(mutation, repository) }
            } catch {
                // A damaged one holds up no others.
                guard error.isOfEntry else { throw error }
                logUnusable(error)
            }
        }
    }

    private func post(_ mutation: QueuedMutation, _ repository: MutationRepository) async throws(StoreFailure) {
        do throws(OutboxFailure) {
            _ = try await outbox.post(outboxRequest(mutation, repository))
        } catch {
            if error.kind == .storeUnavailable { throw StoreFailure(.busy, error.reason, help: error.help) }
            host.log.warning(
                "a queued mutation cannot be added to the outbox",
                ["id": .text(mutation.id), "reason": .text(error.reason)]
            )
        }
    }

    /// Applies the changes of other processes since the last call; true where there were any.
    @discardableResult
    func follow(_ repository: MutationRepository) async throws(StoreFailure) -> Bool {
        try await following.alone { () async throws(StoreFailure) -> Bool in
            guard let start = followed.withLock({ $0?.region == repository.region ? $0?.version : nil }),
                let cache = await caches.present(in: repository.region)
            else { return false }
            let changes = try await repository.records.changes(after: start)
            if changes.hasGap {
                try await recover(repository)
                outbox.drain()
            }
            for id in try await inOrder(changes.names, repository) {
                do throws(StoreFailure) { try await refresh(id, repository, cache) } catch {
                    // Not because of the mutation: the changes are followed again.
                    guard error.isOfEntry else { throw error }
                    logUnusable(error)
                }
            }
            followed.withLock { if $0?.region == repository.region { $0?.version = changes.version } }
            if !changes.isEmpty { changeListeners.notify(()) }
            return !changes.isEmpty
        }
    }

    /// A page of the mutations of all processes; others are not read.
    func list(_ request: SyncQueueRequest) async throws(StoreFailure) -> SyncQueue {
        let repository = repository
        try await follow(repository)
        let (page, count) = try await withIndex(repository) { index in
            index.forgetEnded(before: now - Int64(MutationRepository.endedAge.milliseconds))
            let page = index.page(
                after: request.after,
                limit: request.limit ?? 100,
                withEnded: request.withEnded,
                isNewestFirst: request.isNewestFirst
            )
            return (page, index.count)
        }
        var mutations: [SyncQueued] = []
        for id in page.ids {
            do throws(StoreFailure) {
                guard let mutation = try await repository.read(id) else { continue }
                if request.withEnded || !mutation.state.hasEnded { mutations.append(mutation.described(whole: false)) }
            } catch {
                logUnusable(error)
            }
        }
        return SyncQueue(mutations, waiting: count, next: page.next)
    }

    /// Mutations in order of creation, which is that of their layers; a record may have changed after a later one.
    private func inOrder(_ ids: Set<String>, _ repository: MutationRepository) async throws(StoreFailure) -> [String] {
        var placed: [(id: String, order: Int64)] = []
        for id in ids { placed.append((id, try await repository.records.readable(id)?.record.order ?? 0)) }
        return placed.sorted { ($0.order, $0.id) < ($1.order, $1.id) }.map(\.id)
    }

    /// Shows a mutation according to its present record, and again where that changes meanwhile.
    func refresh(_ id: String, _ repository: MutationRepository, _ cache: SyncCache) async throws(StoreFailure) {
        var shown: Int64?
        while let stored = try await repository.records.read(id) {
            if stored.version == shown { return }
            try await refresh(stored.record, repository, cache)
            shown = stored.version
        }
        stalled.end(id)
        try await withIndex(repository) { $0.remove(id) }
        cache.drop(id)
    }

    private func refresh(_ mutation: QueuedMutation, _ repository: MutationRepository, _ cache: SyncCache)
        async throws(StoreFailure)
    {
        let wasWaiting = try await withIndex(repository) { $0.isWaiting(mutation.id) }
        // Later mutations may build on what is shown here, so they must follow it in the outbox even if the accepting
        // process has ended.
        if !wasWaiting, !mutation.state.hasEnded { try await post(mutation, repository) }
        try await apply(mutation, repository)
        // Mutations waiting for its object may be in the outbox of this process, which the other one does not wake.
        if wasWaiting, mutation.state.hasEnded, mutation.temporary != nil { outbox.drain() }
        // A mutation being applied is shown with its result: its record has real ids before all others do.
        if mutation.state == .confirmed, !mutation.isApplied { return }
        if mutation.isApplied, let temporary = mutation.temporary,
            let rewriting = mutation.real.flatMap({ TemporaryID.Rewriting(temporary, to: $0) })
        {
            cache.resolve([rewriting])
        }
        if let layer = mutation.shownLayer { cache.show(layer) } else { cache.drop(mutation.id) }
    }
}
