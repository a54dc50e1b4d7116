import WireBase
import WireConfig
import WireService
import WireStore

/// Removes cached records, queued mutations, and callers' documents in memory.
///
/// Cached records of requests without a user are shared, and stay when a user is cleared; no mutation stays, like
/// their requests in the outbox.
struct SyncClearing: Clearing {
    let service: SyncService

    var turn: ClearingTurn { .queue }

    func pause(_ scope: ClearingScope) async { await service.barrier.close() }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let regions = service.caches.accounts.scope
        let prefix =
            switch scope {
            case .user: regions.users
            case .environment: regions.environment
            case .all: regions.app
            }
        return try await Fault.wrapping { () async throws(StoreFailure) in
            let count = try await eraser.forgetRecords(ofRegionsBeginning: prefix)
            let mutations = try await clearQueue(
                scope == .all ? regions.app : regions.environment,
                with: eraser
            )
            if !eraser.isDryRun { forgetInMemory() }
            return [Cleared("cached records", count), Cleared("mutations and their results", mutations)]
        }
    }

    private func forgetInMemory() {
        service.caches.forget()
        service.queue?.forget()
        service.preparation.forget()
        service.persisted.forget()
        service.outlet.clear()
        service.registry.reset()
        service.delta.reset()
    }

    private func clearQueue(_ prefix: String, with eraser: Eraser) async throws(StoreFailure) -> Int {
        let values = service.host.stores.device.values
        var count = 0
        for namespace in try await values.namespaces()
        where namespace.hasPrefix(prefix) && MutationRepository.owns(namespace) {
            count += try await eraser.clear(namespace)
        }
        return count
    }

    func resume() async {
        service.barrier.open()
        service.users.notify(())
    }
}
