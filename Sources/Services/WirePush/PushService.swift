import WireBase
import WireConfig
import WireDeviceContract
package import WireHTTP
import WireNotificationContract
import WirePushContract
package import WireService
import WireTelemetry
import WireWorkContract

/// Registers this device at push servers, and reports received pushes to them.
package final class PushService: Service {
    package typealias Settings = PushSection

    let reconciler: RegistrationReconciler
    private let delegate: PushDelegate
    private let readers: [MetricReader]

    private let predecessorsEnded = OneShot()

    private init(_ reconciler: RegistrationReconciler) {
        self.reconciler = reconciler
        delegate = PushDelegate(reconciler)
        readers = [
            Self.gauge(
                "corewire_push_registered",
                "Whether the device is registered at the server (1 or 0).",
                reconciler
            ) {
                // The registration from before a rejected request still holds.
                let told = $0.registration.acknowledged
                return $0.state == .registered || ($0.state == .refused && told?.isSuspended == false)
            },
            Self.gauge(
                "corewire_push_refused",
                "Whether the server has rejected the last request (1 or 0).",
                reconciler
            ) {
                $0.state == .refused
            },
        ]
    }

    private static func gauge(
        _ name: String,
        _ help: String,
        _ reconciler: RegistrationReconciler,
        _ isSo: @escaping @Sendable (RegistrarStatus) -> Bool
    ) -> MetricReader {
        reconciler.host.metrics.gauge(name, help, by: ["registrar"]) { [weak reconciler] in
            (reconciler?.registrars ?? []).map { registrar in
                MetricReading(
                    reconciler.map { isSo($0.registrarStatus(registrar.name)) } ?? false ? 1 : 0,
                    labels: [registrar.name]
                )
            }
        }
    }

    package static func prepare(_ settings: PushSection, in host: PushHost) async throws -> PushService {
        PushService(RegistrationReconciler(settings, host))
    }

    package var abilities: [OfferedAbility] {
        [
            ServiceAbility.pushServers.offered(by: PushServersView(service: self)),
            ServiceAbility.webPush.offered(by: reconciler.webPush),
        ]
    }

    package static let operations = PushRoutes.operations
    package var routes: [Route] { PushRoutes(self).routes }

    // MARK: Its life

    package func run() async throws {
        let host = reconciler.host
        host.uses.outbox?.register(PushSection.name, delegate, in: host.registrations)
        host.find(.clearings)?.join(PushSection.name, PushClearing(service: self), in: host.registrations)
        for registrar in reconciler.registrars { PushTelemetry(host).configured(registrar) }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.reconciler.run() }
            group.addTask { await self.followUser() }
            group.addTask { await self.followPermission() }
            group.addTask { await self.followCode() }
            group.addTask { await self.followDevice() }
            group.addTask { await self.watchFiles() }
            group.addTask { await self.followChannels() }
            group.addTask { await self.endFormerChannels() }
            group.addTask { await self.followWaits() }
            group.addTask {
                await self.reconciler.repository.follow(host.clock) {
                    self.reconciler.webPush.notify()
                    self.reconciler.poke()
                }
            }
            group.addTask { await untilCancelled() }
        }
    }

    package func predecessorsDidStop() async { predecessorsEnded.fire() }

    package func drain() async { reconciler.finish() }

    package func stop() async {
        reconciler.finish()
        reconciler.webPush.finish()
    }

    private func followUser() async {
        guard let presence = reconciler.host.uses.presence else { return }
        for await _ in presence.changes() {
            await reconciler.endChannelsOfOthers()
            reconciler.poke()
        }
    }

    /// An endpoint that has come is a token for its registrar.
    private func followChannels() async {
        let webPush = reconciler.webPush
        await reconciler.trying { () async throws(Fault) in
            try await webPush.tidy(self.reconciler.settings.registrars.items.map(\.name))
        }
        for await _ in webPush.changes() { reconciler.poke() }
    }

    /// The service of another environment would open another channel for one that is ended while it runs.
    private func endFormerChannels() async {
        await predecessorsEnded.wait()
        if Task.isCancelled { return }
        let webPush = reconciler.webPush
        await reconciler.trying { () async throws(Fault) in try await webPush.endForeign() }
    }

    /// Another provider is tried when an endpoint does not come in time.
    private func followWaits() async {
        for await _ in reconciler.webPush.waits() {
            guard (try? await reconciler.host.clock.sleep(WebPushChannels.patience)) != nil else { return }
            reconciler.poke()
        }
    }

    private func followPermission() async {
        guard let permission = reconciler.host.find(.notificationPermission) else { return }
        for await _ in permission.changes() { reconciler.poke() }
    }

    private func followCode() async {
        guard let code = reconciler.host.find(.pushTokenCode) else { return }
        for await _ in code.changes() { reconciler.poke() }
    }

    /// Some servers get the token with the device, others get the device's name.
    private func followDevice() async {
        guard let device = reconciler.host.uses.device else { return }
        for await _ in device.changes() { reconciler.poke() }
    }

    /// Files are read again when they change; programs run again when their tokens are old.
    private func watchFiles() async {
        let settings = reconciler.settings
        let isWatched = PushProvider.allCases.contains { provider in
            switch settings.tokens[provider] {
            case .shape(.file)?, .shape(.program)?: true
            default: false
            }
        }
        guard isWatched else { return }
        while (try? await reconciler.host.clock.sleep(.seconds(5))) != nil, !reconciler.isOver { reconciler.poke() }
    }
}

/// The push servers as other services see them.
private struct PushServersView: PushServers {
    let service: PushService

    func read(_ payload: JSONValue) -> ReceivedPush { service.read(payload) }

    func shown(_ push: ReceivedPush) { service.shown(push) }

    func report(_ event: PushEvent, of push: ReceivedPush, at moment: Int64) async throws(Fault) {
        try await service.report(event, of: push, at: moment)
    }
}
