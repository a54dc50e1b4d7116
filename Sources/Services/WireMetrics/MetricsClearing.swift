import WireBase
import WireService

/// Removes the id of this installation at the metrics service; a clearing of user data keeps it, since it identifies
/// no user.
struct MetricsClearing: Clearing {
    let reporter: MetricsReporter

    var turn: ClearingTurn { .work }

    func pause(_ scope: ClearingScope) async { await reporter.barrier.close() }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let id = ClientID(reporter.host)
        let count = scope == .user ? 0 : try await id.forget(everywhere: scope == .all, with: eraser)
        return [Cleared("ids of this installation at the metrics service", count)]
    }

    func resume() async { reporter.barrier.open() }
}
