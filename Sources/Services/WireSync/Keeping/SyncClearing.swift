import WireBase
import WireConfig
import WireService
import WireStore

/// Removes cached records; those of requests without a user are shared, and stay when a user is cleared.
struct SyncClearing: Clearing {
    let service: SyncService

    func pause(_ scope: ClearingScope) async { await service.gate.close() }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        let regions = service.caches.accounts.scope
        let prefix =
            switch scope {
            case .user: regions.users
            case .environment: regions.environment
            case .all: regions.app
            }
        do throws(StoreFailure) {
            let count = try await service.host.stores.cache.forgetRecords(ofRegionsBeginning: prefix)
            service.caches.forget()
            return [Cleared("cached records", count)]
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    func resume() async {
        service.gate.open()
        service.users.tell(())
    }
}
