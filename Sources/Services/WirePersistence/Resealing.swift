import WireBase
import WireConfig
import WireService
import WireStateContract
import WireStore
import WireTelemetry

/// Seals anew what the former key of the file has sealed, and tells when nobody needs that key any more.
extension PersistenceService {
    func reseal() async {
        guard present.rules.settings.previousKey != nil else { return }
        var told: String?
        while true {
            let host = present.host
            do throws(StoreFailure) {
                return tell(try await host.stores.values.reseal(), host)
            } catch {
                if [.cancelled, .closed].contains(error.kind) { return }
                health.note(error)
                if told != error.reason {
                    host.log.warning("not sealed anew yet, tried again every minute", ["error": .text(error.reason)])
                }
                told = error.reason
            }
            do { try await host.clock.sleep(.seconds(60)) } catch { return }
        }
    }

    private func tell(_ done: Resealed, _ host: ServiceHost) {
        if done.left > 0 {
            host.log.warning(
                "sealed anew but for what no key at hand opens",
                ["resealed": .integer(done.count), "left": .integer(done.left)]
            )
        } else {
            host.log.notice(
                "nothing stored needs 'persistence.previousKey' any more; it can go once every process of the group has started with 'key'",
                ["resealed": .integer(done.count)]
            )
        }
        var event = StateEvent()
        (event.resealed, event.left) = (done.count, done.left)
        host.emit(StateEvents.resealed, event)
    }
}
