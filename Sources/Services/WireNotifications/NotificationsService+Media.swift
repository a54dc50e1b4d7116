import WireBase
import WireService
import WireStore
import WireTelemetry

/// Pictures are removed with their notifications.
extension NotificationsService {
    /// Removes pictures at the start, when one may be unused, and from time to time; returns when cancelled.
    func keepMedia() async {
        mediaChanged.wake()
        var pause = Duration.seconds(60)
        while !Task.isCancelled {
            await mediaChanged.next(atMost: pause, present.host.clock)
            guard !Task.isCancelled else { return }
            pause = await barrier.run { await self.tidyMedia() } ?? .seconds(60)
        }
    }

    /// Removes unused pictures; returns the time until the next call.
    func tidyMedia() async -> Duration {
        let present = present
        guard let media = present.media else { return .seconds(3_600) }
        let (repository, inbox) = (present.repository, inbox)
        do throws(StoreFailure) {
            return try await media.tidy(present.settings.media, at: present.host.clock.wall()) {
                id async throws(StoreFailure) in
                if try await inbox.entry(id) != nil { return true }
                return try await repository.work.find(id, in: repository.queue) != nil
            }
        } catch {
            telemetry.record(error)
            return .seconds(60)
        }
    }
}
