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
    /// Runs for one user until cancelled.
    func run() async {
        let shelf = shelf
        do throws(StoreFailure) {
            let start = try shelf.records.latest()
            // New mutations wait, so that they come after all existing ones in the outbox and the layers.
            try await following.alone { () async throws(StoreFailure) in
                followed.withLock { $0 = (shelf.region, start) }
                try await recover(shelf)
            }
            while !Task.isCancelled, caches.present(in: shelf.region) != nil {
                if try await follow(shelf) { continue }
                _ = try await shelf.store.changed(after: followed.withLock { $0?.version } ?? start)
            }
        } catch {
            if !Task.isCancelled { tell(error) }
        }
    }

    /// Completes interrupted ends, posts requests that the outbox may lack, and shows changes since the cache was
    /// filled.
    private func recover(_ shelf: MutationRepository) async throws(StoreFailure) {
        guard let cache = caches.present(in: shelf.region) else { return }
        let mutations = try shelf.show(in: cache, unreadable: tell)
        index(mutations, shelf)
        for mutation in mutations {
            guard gate.enter() else { return }
            defer { gate.leave() }
            if mutation.state == .confirmed, !mutation.isApplied { try await apply(mutation, shelf, cache) }
            if !mutation.state.hasEnded { await post(mutation, shelf) }
        }
    }

    private func post(_ mutation: QueuedMutation, _ shelf: MutationRepository) async {
        do throws(OutboxFailure) {
            _ = try await outbox.post(outboxRequest(mutation, shelf))
        } catch {
            host.log.warning(
                "a queued mutation cannot be given to the outbox",
                ["id": .text(mutation.id), "reason": .text(error.reason)]
            )
        }
    }

    /// Applies the changes of other processes since the last call; true where there were any.
    @discardableResult
    func follow(_ shelf: MutationRepository) async throws(StoreFailure) -> Bool {
        try await following.alone { () async throws(StoreFailure) -> Bool in
            guard let start = followed.withLock({ $0?.region == shelf.region ? $0?.version : nil }),
                let cache = caches.present(in: shelf.region)
            else { return false }
            let changes = try shelf.records.changes(after: start)
            if changes.hasGap {
                try await recover(shelf)
                outbox.drain()
            }
            for id in inOrder(changes.names, shelf) {
                do throws(StoreFailure) { try await refresh(id, shelf, cache) } catch { tell(error) }
            }
            followed.withLock { if $0?.region == shelf.region { $0?.version = changes.version } }
            if !changes.isEmpty { news.tell(()) }
            return !changes.isEmpty
        }
    }

    /// A page of the mutations of all processes; others are not read.
    func list(_ request: SyncQueueRequest) async throws(StoreFailure) -> SyncQueue {
        let shelf = shelf
        try await follow(shelf)
        let (page, count) = try withIndex(shelf) { index in
            index.forgetEnded(before: now - Int64(MutationRepository.endedAge.milliseconds))
            let page = index.page(
                after: request.after,
                limit: request.limit ?? 100,
                withEnded: request.withEnded,
                isNewestFirst: request.isNewestFirst
            )
            return (page, index.count)
        }
        let mutations = page.ids.compactMap { id -> SyncQueued? in
            do throws(StoreFailure) {
                guard let mutation = try shelf.read(id) else { return nil }
                return request.withEnded || !mutation.state.hasEnded ? mutation.described(whole: false) : nil
            } catch {
                tell(error)
                return nil
            }
        }
        return SyncQueue(mutations, waiting: count, next: page.next)
    }

    /// Mutations in order of creation, which is that of their layers; a record may have changed after a later one.
    private func inOrder(_ ids: Set<String>, _ shelf: MutationRepository) -> [String] {
        let placed = ids.map { id in (id: id, order: (try? shelf.read(id))?.order ?? 0) }
        return placed.sorted { ($0.order, $0.id) < ($1.order, $1.id) }.map(\.id)
    }

    /// Shows a mutation according to its present record, and again where that changes meanwhile.
    func refresh(_ id: String, _ shelf: MutationRepository, _ cache: SyncCache) async throws(StoreFailure) {
        var shown: Int64?
        while let stored = try shelf.records.read(id) {
            if stored.version == shown { return }
            try await refresh(stored.record, shelf, cache)
            shown = stored.version
        }
        stalled.end(id)
        try withIndex(shelf) { $0.remove(id) }
        cache.drop(id)
    }

    private func refresh(_ mutation: QueuedMutation, _ shelf: MutationRepository, _ cache: SyncCache)
        async throws(StoreFailure)
    {
        let wasWaiting = try withIndex(shelf) { $0.isWaiting(mutation.id) }
        // Later mutations may build on what is shown here, so they must follow it in the outbox even if the accepting
        // process has ended.
        if !wasWaiting, !mutation.state.hasEnded { await post(mutation, shelf) }
        try note(mutation, shelf)
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
