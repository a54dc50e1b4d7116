import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry

/// What was left over from an earlier run, and what other processes of the group do.
extension MutationQueue {
    /// Works for one user until it is cancelled.
    func run() async {
        let shelf = shelf
        do throws(StoreFailure) {
            let version = try shelf.store.changes(after: .max, in: shelf.namespace, limit: 1).version
            try await recover(shelf)
            try await follow(shelf, after: version)
        } catch {
            if !Task.isCancelled { tell(error) }
        }
    }

    /// Ends what was broken off, and posts again what the outbox may not know.
    private func recover(_ shelf: MutationShelf) async throws(StoreFailure) {
        guard let cache = caches.present(in: shelf.region) else { return }
        try reload(shelf)
        for mutation in try shelf.all(unreadable: tell) {
            guard gate.enter() else { return }
            defer { gate.leave() }
            if mutation.state == .confirmed, !mutation.isApplied { try await apply(mutation, shelf, cache) }
            if mutation.state.hasEnded { continue }
            do throws(OutboxFailure) {
                _ = try await outbox.post(outboxRequest(mutation, shelf))
            } catch {
                host.log.warning(
                    "a queued mutation cannot be given to the outbox",
                    ["id": .text(mutation.id), "reason": .text(error.reason)]
                )
            }
        }
    }

    private func follow(_ shelf: MutationShelf, after start: Int64) async throws(StoreFailure) {
        var version = start
        while !Task.isCancelled {
            let found = try shelf.store.changes(after: version, in: shelf.namespace, limit: 1_000)
            guard let cache = caches.present(in: shelf.region) else { return }
            if found.hasGap {
                try reload(shelf)
                shelf.show(in: cache, unreadable: tell)
            }
            for change in found.changes { try refresh(change.key, shelf, cache) }
            version = found.version
            if found.hasGap || !found.changes.isEmpty {
                news.tell(())
            } else {
                _ = try await shelf.store.changed(after: version)
            }
        }
    }

    /// Shows a mutation as its record has it now.
    private func refresh(_ id: String, _ shelf: MutationShelf, _ cache: SyncCache) throws(StoreFailure) {
        guard let mutation = try shelf.read(id)?.mutation else {
            try withIndex(shelf) { $0.remove(id) }
            return cache.drop(id)
        }
        try withIndex(shelf) { $0.note(mutation) }
        // What is being applied is shown with it: its record names real ids before all others do.
        if mutation.state == .confirmed, !mutation.isApplied { return }
        if mutation.isApplied, let temporary = mutation.temporary,
            let rewriting = mutation.real.flatMap({ TemporaryID.Rewriting(temporary, to: $0) })
        {
            cache.resolve([rewriting])
        }
        if let layer = mutation.shownLayer { cache.show(layer) } else { cache.drop(id) }
    }
}
