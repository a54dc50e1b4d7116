import WireBase
import WireService
import WireStore
import WireTelemetry

/// Pictures go with their notifications.
extension NotificationsService {
    /// Looks after them at the start, when something may have gone, and from time to time; returns when cancelled.
    func keepMedia() async {
        mediaChanged.ring()
        var pause = Duration.seconds(60)
        while !Task.isCancelled {
            let rest = pause
            await withTaskGroup(of: Void.self) { race in
                race.addTask { await self.mediaChanged.next() }
                race.addTask { try? await self.present.host.clock.sleep(rest) }
                await race.next()
                race.cancelAll()
            }
            guard !Task.isCancelled else { return }
            pause = await gate.run { await self.tidyMedia() } ?? .seconds(60)
        }
    }

    /// Tells when to look again.
    func tidyMedia() async -> Duration {
        let present = present
        guard let media = present.media else { return .seconds(3_600) }
        let (shelf, inbox) = (present.shelf, inbox)
        do throws(StoreFailure) {
            return try await media.tidy(present.settings.media, at: present.host.clock.wall()) {
                id throws(StoreFailure) in
                if try inbox.entry(id) != nil { return true }
                return try shelf.work.find(id, in: shelf.queue) != nil
            }
        } catch {
            ledger.note(error)
            return .seconds(60)
        }
    }
}
