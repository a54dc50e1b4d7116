import Synchronization
import WireBase
import WireConfig
package import WireHTTP
import WireNotificationContract
import WirePushContract
import WireSecrets
package import WireService
import WireStore
import WireTelemetry

/// Accepts notifications, has each handled once, and shows them.
package final class NotificationsService: Service {
    package typealias Settings = NotificationsSection

    /// The present settings and values; replaced as a whole.
    final class Present: Sendable {
        let settings: NotificationsSection
        let host: NotificationsHost
        let repository: NotificationRepository
        let digest: @Sendable (String) -> String

        init(_ settings: NotificationsSection, _ host: NotificationsHost) throws {
            guard let secrecy = host.find(.secrecy) else {
                throw MissingCapability("the embedding program has no digests")
            }
            (self.settings, self.host) = (settings, host)
            digest = { text in (try? secrecy.digest(Array(text.utf8)).hexadecimal) ?? text }
            repository = NotificationRepository(
                work: host.stores[.notifications].queue,
                values: host.stores[.notifications].values,
                device: host.stores.device.values,
                app: host.app?.id.text ?? "app",
                environment: host.environmentScope,
                digest: digest
            )
        }
    }

    private let state: Mutex<(present: Present, isEnded: Bool)>
    let engine = NotificationEngine()
    let intake = NotificationIntake()
    let apps = ConnectedApps()
    let inbox: NotificationInbox
    let telemetry: NotificationTelemetry
    let streamHealth: StreamHealth
    let permission: PermissionRepository
    let desktopActs: AsyncStream<DesktopSink.Act>
    let desktop: DesktopSink?
    /// Open while notifications are handled, closed while they are cleared.
    let barrier = WorkBarrier()
    let mediaChanged = Wakeup()
    private let streamsChanged = Wakeup()
    private let sinksChanged = Wakeup()
    private let sourcesChanged = Wakeup()
    private let accountsChanged = Wakeup()
    /// Fires so that streams close their connections.
    let leaving = OneShot()

    private init(_ present: Present) throws {
        let (acts, continuation) = AsyncStream.makeStream(
            of: DesktopSink.Act.self,
            bufferingPolicy: .bufferingNewest(100)
        )
        desktopActs = acts
        state = Mutex((present, false))
        let changed = mediaChanged
        inbox = NotificationInbox(present.repository) { changed.wake() }
        telemetry = NotificationTelemetry(present.host, present.repository)
        streamHealth = StreamHealth(telemetry, present.host.metrics, present.host.clock)
        permission = PermissionRepository(
            permission: present.host.find(.notificationPermission) ?? NotificationPermission(),
            repository: present.repository
        )
        let place = present.host.places.origin(of: present.settings.$sinks, "notifications.sinks")
        desktop = DesktopSink(present.host, at: place.map { "\($0.path), at \($0.place)" }) { continuation.yield($0) }
    }

    package static func prepare(_ settings: NotificationsSection, in host: NotificationsHost) async throws
        -> NotificationsService
    {
        let service = try NotificationsService(try Present(settings, host))
        try await service.permission.restore(otherwise: settings.permission)
        return service
    }

    /// Queued notifications are in the store, and later ones use the new settings.
    package static func effect(of new: NotificationsSection, after old: NotificationsSection) -> SettingsEffect {
        .rebound
    }

    package static let operations = NotificationRoutes.operations
    package var routes: [Route] { NotificationRoutes(service: self).routes }

    var present: Present { state.withLock { $0.present } }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// The handlers of new notifications.
    var handlerList: HandlerList {
        let present = present
        return HandlerList(settings: present.settings, embedder: present.host.find(.embedderHandlers), apps: apps)
    }

    // MARK: Life

    package func start() async throws {
        let host = present.host
        let clearing = NotificationClearing(service: self)
        host.find(.clearings)?.join(NotificationsSection.name, clearing, in: host.registrations)
    }

    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.engine.run(self) }
            group.addTask { await EmbeddedPushes(service: self).run() }
            group.addTask { await self.readStreams() }
            group.addTask { await self.readSubscriptions() }
            group.addTask { await self.followAccounts() }
            group.addTask { await self.keepMedia() }
            group.addTask { await self.followDesktop() }
            group.addTask { await untilCancelled() }
        }
    }

    package func rebind(to settings: NotificationsSection, in host: NotificationsHost) async throws {
        let next = try Present(settings, host)
        try await permission.restore(otherwise: settings.permission)
        state.withLock { $0.present = next }
        telemetry.rebind(to: host)
        await permission.release(telemetry)
        streamsChanged.wake()
        mediaChanged.wake()
        sinksChanged.wake()
        sourcesChanged.wake()
        accountsChanged.wake()
        engine.wake()
    }

    package func drain() async {
        leaving.fire()
        await engine.drain()
        // Apps are asked until this point.
        apps.end()
    }

    package func stop() async {
        state.withLock { $0.isEnded = true }
        leaving.fire()
        apps.end()
        engine.end()
        streamsChanged.finish()
        sinksChanged.finish()
        sourcesChanged.finish()
        accountsChanged.finish()
    }

    // MARK: Streams

    /// What is read at present, by a key: the streams of the file, and the accounts at Web Push services.
    private var sources: [String: (name: String, source: any NotificationSource)] {
        get async throws(Fault) {
            var sources: [String: (name: String, source: any NotificationSource)] = [:]
            for item in present.settings.streams.items { sources[item.name] = (item.name, item.value.source) }
            guard let webPush = present.host.uses.webPush else { return sources }
            return sources.merging(try await webPush.sources) { first, _ in first }
        }
    }

    /// Runs one reader for each source.
    private func readStreams() async {
        await withTaskGroup(of: Void.self) { group in
            var readers: [String: (source: any NotificationSource, retire: OneShot, removed: OneShot)] = [:]
            func begin() async {
                let sources: [String: (name: String, source: any NotificationSource)]
                do throws(Fault) { sources = try await self.sources } catch {
                    // The present connections stay.
                    let clock = present.host.clock
                    group.addTask { if (try? await clock.sleep(.seconds(5))) != nil { self.streamsChanged.wake() } }
                    return
                }
                for (key, reader) in readers where !(sources[key]?.source.isSame(as: reader.source) ?? false) {
                    if sources[key]?.source.continues(as: reader.source) != true { reader.removed.fire() }
                    reader.retire.fire()
                    readers[key] = nil
                }
                for (key, (name, source)) in sources where readers[key] == nil {
                    let retire = OneShot()
                    let reader = StreamReader(name: name, source: source, service: self)
                    readers[key] = (source, retire, reader.removed)
                    group.addTask { await reader.run(until: retire) }
                }
            }
            await begin()
            for await _ in streamsChanged { await begin() }
            group.cancelAll()
        }
    }

    /// Follows the accounts at Web Push services of the present service `push`.
    private func followAccounts() async {
        accountsChanged.wake()
        for await _ in accountsChanged {
            guard let webPush = present.host.uses.webPush else { continue }
            for await _ in webPush.changes() { streamsChanged.wake() }
        }
    }

    /// Accepts the results of subscriptions of the present service `sync`.
    private func readSubscriptions() async {
        sourcesChanged.wake()
        for await _ in sourcesChanged { await SubscribedNotifications(service: self).run() }
    }

    // MARK: The desktop

    private func followDesktop() async {
        guard let desktop else { return }
        sinksChanged.wake()
        // Once the file enables it, for the life of the service: shown notifications may still be tapped.
        for await _ in sinksChanged where present.settings.sinks.contains(.desktop) { break }
        guard !Task.isCancelled, !isEnded else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await desktop.run() }
            for await act in desktopActs {
                do throws(NotificationFailure) {
                    switch act {
                    case .tapped(let id, let button):
                        let tapped = try await tap(NotificationTap(id, button: button))
                        guard let refused = tapped.refused else { continue }
                        throw NotificationFailure(.invalid, refused, help: tapped.help)
                    case .dismissed(let id): _ = try await dismiss(id)
                    }
                } catch {
                    present.host.log.notice("a tap has no effect", ["reason": .text(error.reason)])
                }
            }
            group.cancelAll()
        }
    }
}
