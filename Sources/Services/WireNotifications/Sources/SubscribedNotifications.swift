import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireTelemetry

/// The notifications from `sync.subscriptions`: each is accepted like a push from that source.
struct SubscribedNotifications: Sendable {
    let service: NotificationsService

    /// Accepts results until the source ends or the task is cancelled.
    func run() async {
        guard let source = service.present.host.uses.subscriptions else { return }
        for await message in source.messages() {
            await take(IncomingNotification(.push(message.payload), way: message.subscription))
        }
    }

    private func take(_ arrival: IncomingNotification) async {
        while !Task.isCancelled {
            do throws(NotificationFailure) {
                _ = try await service.intake.accept(arrival, for: service)
                return
            } catch  where error.kind == .invalid || error.kind == .tooLarge || error.kind == .ending {
                service.present.host.log.warning(
                    "a message of a subscription is not a notification",
                    ["subscription": .text(arrival.way), "reason": .text(error.reason)]
                )
                return
            } catch {
                if (try? await service.present.host.clock.sleep(.seconds(1))) == nil { return }
            }
        }
    }
}
