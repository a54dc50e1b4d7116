import WireBase
import WireConfig
import WireService

/// Removes cached responses; for one user, those without a user's token stay.
struct NetworkClearing: Clearing {
    let service: NetworkService

    var turn: ClearingTurn { .values }

    func pause(_ scope: ClearingScope) async { await service.responseCache?.barrier.close() }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let count =
            try await service.responseCache?.clear(
                scope,
                of: service.present.host.environmentScope,
                with: eraser
            ) ?? 0
        return [Cleared("entries of the HTTP cache", count)]
    }

    func resume() async { service.responseCache?.barrier.open() }
}
