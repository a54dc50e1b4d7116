import WireBase
import WireConfig
import WireService
import WireStateContract
import WireStore
import WireTelemetry

/// Encrypts data of the former key with the present one, and reports when the former key is no longer needed.
extension PersistenceService {
    func reseal() async {
        guard present.rules.settings.previousKey != nil else { return }
        var told: String?
        while true {
            let host = present.host
            do throws(StoreFailure) {
                var (count, left) = (0, 0)
                for store in host.stores.all {
                    let resealed = try await store.values.reseal()
                    (count, left) = (count + resealed.count, left + resealed.left)
                }
                return tell(Resealed(count: count, left: left), host)
            } catch {
                if [.cancelled, .closed].contains(error.kind) { return }
                health.record(error)
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
            host.log.notice(
                "'persistence.previousKey' is no longer needed; remove it once every process of the group has started with 'key'",
                ["resealed": .integer(done.count)]
            )
        }
        var event = StateEvent()
        (event.resealed, event.left) = (done.count, done.left)
        host.emit(StateEvents.resealed, event)
    }
}
