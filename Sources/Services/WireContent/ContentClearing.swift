import WireBase
import WireConfig
import WireService
import WireStore

/// Removes copies of modules and search results; for one user, those without a user stay.
struct ContentClearing: Clearing {
    let service: ContentService

    func pause(_ scope: ClearingScope) async { await service.barrier.close() }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let prefix =
            switch scope {
            case .user: service.scope.root + CopyScope.person
            case .environment: service.scope.root
            case .all: service.scope.appRoot
            }
        let values = service.host.stores.device.values
        return try await Fault.wrapping { () async throws(StoreFailure) in
            var copies = 0
            for name in try await values.namespaces() where name.hasPrefix(prefix) {
                if !eraser.isDryRun { service.copyCache.forget(name) }
                if try await eraser.clear(name) > 0 { copies += 1 }
            }
            let answers = try await eraser.forgetCached(beginning: prefix, in: CopyScope.region)
            return [Cleared("copies of modules", copies), Cleared("search results", answers)]
        }
    }

    func resume() async {
        service.barrier.open()
        // Copies without a user are loaded again.
        await service.syncSoon()
    }
}
