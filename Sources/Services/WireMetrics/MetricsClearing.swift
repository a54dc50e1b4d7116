import WireBase
import WireService

/// Forgets the name this installation has at the metrics service; it says nothing of who uses the device, and stays for users.
struct MetricsClearing: Clearing {
    let desk: MetricsDesk

    var turn: ClearingTurn { .work }

    func pause(_ scope: ClearingScope) async { await desk.gate.close() }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        let count = scope == .user ? 0 : try await ClientID(desk.host).forget(everywhere: scope == .all)
        return [Cleared("names at the metrics service", count)]
    }

    func resume() async { desk.gate.open() }
}
