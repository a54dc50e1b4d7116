import WireBase
import WireConfig
import WireService
import WireStateContract
import WireStore
import WireTelemetry

/// Removes the app's entries, after all services that write entries in the user's name have ended.
struct StateClearing: Clearing {
    let service: PersistenceService

    var turn: ClearingTurn { .values }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let present = service.present
        var (entries, namespaces) = (0, 0)
        // Also entries of a store that a namespace has been moved from.
        for (place, eraser) in zip(StorePlace.allCases, eraser.ofEachStore) {
            await eraser.attempt { () async throws(StoreFailure) in
                do throws(StoreFailure) {
                    for (full, name) in present.rules.cleared(scope, among: try await eraser.namespaces()) {
                        let count = try await eraser.clear(full)
                        guard count > 0 else { continue }
                        (entries, namespaces) = (entries + count, namespaces + 1)
                        guard let name, !eraser.isDryRun else { continue }
                        var event = StateEvent(name)
                        event.entries = count
                        present.host.emit(StateEvents.cleared, event)
                    }
                } catch {
                    service.health.record(error, of: place)
                    throw error
                }
            }
        }
        if entries > 0, !eraser.isDryRun { service.fullness.noteRemoval() }
        return [Cleared("stored values", entries), Cleared("namespaces of apps", namespaces)]
    }
}
