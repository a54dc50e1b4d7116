import WireBase
import WireConfig
import WireDeviceContract
import WireNotificationContract
import WireService
import WireStore

/// Removes all stored data of notifications: queued ones, results, the list, pictures, the permission.
struct NotificationClearing: Clearing {
    let service: NotificationsService

    private var queues: [WorkBarrier.Queue] {
        let repository = service.present.repository
        return [(repository.work, repository.queue)]
    }

    func pause(_ scope: ClearingScope) async { await service.barrier.close(holding: queues) }

    func resume() async {
        await service.barrier.open(releasing: queues)
        service.engine.wake()
        service.mediaChanged.wake()
    }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let present = service.present
        if scope != .user {
            try await InstallIdentity(present.host).forget(everywhere: scope == .all, with: eraser)
        }
        let repository = present.repository
        let prefix = scope == .all ? repository.appRoot : repository.root
        var (items, ended, shown, pictures, notes) = (0, 0, 0, 0, 0)
        // What is this machine's, and what the group shares, may be in one store.
        for eraser in eraser.everywhere(.notifications) {
            await eraser.attempt { () async throws(StoreFailure) in
                let forgotten = try await eraser.forget(queues: prefix)
                (items, ended) = (items + forgotten.items, ended + forgotten.ended)
                for namespace in try await eraser.namespaces() where namespace.hasPrefix(prefix) {
                    // The permission and the positions of streams belong to the device, not to a user.
                    if scope == .user, namespace == repository.notes { continue }
                    if namespace.hasSuffix("/media"), let media = present.media {
                        pictures += try await media.clear(namespace, with: eraser)
                        continue
                    }
                    let count = try await eraser.clear(namespace)
                    if namespace.hasSuffix("/inbox") { shown += count } else { notes += count }
                }
            }
        }
        if !eraser.isDryRun { forgetInMemory(scope, present) }
        return [
            Cleared("notifications in the list", shown), Cleared("queued notifications", items),
            Cleared("results of notifications", ended), Cleared("pictures", pictures),
            Cleared("permissions and stream positions", notes),
        ]
    }

    private func forgetInMemory(_ scope: ClearingScope, _ present: NotificationsService.Present) {
        service.inbox.cleared()
        service.desktop?.closeAll()
        if scope != .user { service.permission.permission.update(present.settings.permission.answer) }
        var event = NotificationEvent()
        event.scope = scope
        service.telemetry.emit(.cleared, event)
    }
}
