import WireBase
import WireConfig
import WireService
import WireStateContract
import WireStore
import WireTelemetry

/// Encrypts data of the former key with the present one, and reports when none is left.
extension PersistenceService {
    func reseal() async {
        guard present.rules.settings.previousKey != nil else { return }
        var told: String?
        while true {
            let host = present.host
            var at = StorePlace.machine
            do throws(StoreFailure) {
                var (count, left) = (0, 0)
                for (place, store) in host.stores.places {
                    at = place
                    let resealed = try await store.values.reseal()
                    (count, left) = (count + resealed.count, left + resealed.left)
                }
                return tell(Resealed(count: count, left: left), host)
            } catch {
                if [.cancelled, .closed].contains(error.kind) { return }
                health.record(error, of: at)
                if told != error.reason {
                    host.log.warning("not re-encrypted yet, retried every minute", ["error": .text(error.reason)])
                }
                told = error.reason
            }
            do { try await host.clock.sleep(.seconds(60)) } catch { return }
        }
    }

    private func tell(_ done: Resealed, _ host: ServiceHost) {
        if done.left > 0 {
            host.log.warning(
                "re-encrypted, except data whose key is unknown",
                ["resealed": .integer(done.count), "left": .integer(done.left)]
            )
        } else {
            // What other processes encrypt with is not known here, nor which key is to be used next.
            host.log.notice(
                "all data is encrypted with 'persistence.key'; remove 'persistence.previousKey', unless another process of the group has it as 'key' or is to get it",
                ["resealed": .integer(done.count)]
            )
        }
        var event = StateEvent()
        (event.resealed, event.left) = (done.count, done.left)
        host.emit(StateEvents.resealed, event)
    }
}
