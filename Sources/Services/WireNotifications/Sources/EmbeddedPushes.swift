import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireTelemetry

/// The pushes from embedded servers: each is acknowledged once it is on the disk.
struct EmbeddedPushes: Sendable {
    let service: NotificationsService

    func run() async {
        guard let servers = service.present.host.uses.embeddedPushing else { return }
        for await carried in servers.pushes() {
            var arrival = IncomingNotification(.push(carried.payload), way: "embedded")
            arrival.carrier = "\(carried.provider):\(carried.id)"
            while !Task.isCancelled {
                do throws(NotificationFailure) {
                    _ = try await service.intake.accept(arrival, for: service)
                    await servers.acknowledge(carried.id)
                    break
                } catch  where error.kind == .invalid || error.kind == .tooLarge {
                    // It would be rejected each time, so it is dropped and logged.
                    service.present.host.log.warning(
                        "a push is rejected",
                        ["id": .text(carried.id), "reason": .text(error.reason)]
                    )
                    await servers.acknowledge(carried.id)
                    break
                } catch {
                    if (try? await service.present.host.clock.sleep(.seconds(1))) == nil { return }
                }
            }
        }
    }
}
