import WireBase
import WireConfig
import WireDeviceContract
import WireNotificationContract
import WireService
import WireStore

/// Removes all stored data of notifications: queued ones, results, the list, pictures, the permission.
struct NotificationClearing: Clearing {
    let service: NotificationsService

    func pause(_ scope: ClearingScope) async { await service.barrier.close() }

    func resume() async {
        service.barrier.open()
        service.engine.wake()
        service.mediaChanged.wake()
    }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        let present = service.present
        if scope != .user { try await InstallIdentity(present.host).forget(everywhere: scope == .all) }
        let repository = present.repository
        let prefix = scope == .all ? repository.appRoot : repository.root
        return try await Fault.wrapping { () async throws(StoreFailure) in
            let forgotten = try await repository.work.forget(queues: prefix)
            var (shown, pictures, notes) = (0, 0, 0)
            for namespace in try repository.values.namespaces() where namespace.hasPrefix(prefix) {
                // The permission and the positions of streams belong to the device, not to a user.
                if scope == .user, namespace == repository.notes { continue }
                if namespace.hasSuffix("/media"), let media = present.media {
                    pictures += try await media.clear(namespace)
                    continue
                }
                let count = try await repository.values.clear(namespace)
                if namespace.hasSuffix("/inbox") { shown += count } else { notes += count }
            }
            service.inbox.cleared()
            service.desktop?.closeAll()
            if scope != .user { service.permission.permission.update(present.settings.permission.answer) }
            var event = NotificationEvent()
            event.scope = scope
            service.telemetry.emit(.cleared, event)
            return [
                Cleared("notifications in the list", shown), Cleared("queued notifications", forgotten.items),
                Cleared("results of notifications", forgotten.ended), Cleared("pictures", pictures),
                Cleared("notes about notifications", notes),
            ]
        }
    }
}
