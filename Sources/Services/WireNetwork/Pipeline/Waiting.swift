import WireBase
import WireNetworkContract

/// How requests wait: by the clock of the host, never longer than the service lives.
struct Waits: Sendable {
    let clock: Clockwork
    /// Fires when the service ends.
    let ending: OneShot

    var now: Duration { clock.monotonic() }

    /// Does what waits for something, which ends when it is cancelled, until a moment at the latest; nil where the time was
    /// over first.
    ///
    /// The work is cancelled when the time is over, and waited for: what it says is what counts.
    func wait<Answer: Sendable>(
        until moment: Duration,
        for work: @escaping @Sendable () async -> Answer
    ) async -> Answer? {
        await withTaskGroup(of: Answer?.self) { group in
            group.addTask { await work() }
            group.addTask {
                try? await self.clock.sleep(moment - self.now)
                return nil
            }
            group.addTask {
                await self.ending.wait()
                return nil
            }
            var answer: Answer?
            for await one in group {
                group.cancelAll()
                if let one { answer = one }
            }
            return answer
        }
    }

    /// Returns when so much time has passed.
    func sleep(_ duration: Duration) async throws(CallFailure) {
        let moment = now + duration
        let isOver: Bool? = await wait(until: moment + .seconds(1)) {
            do { try await self.clock.sleep(duration) } catch { return false }
            return true
        }
        if let end { throw end }
        // A clock that leaps ends both waits at once, in any order.
        if isOver != true, now < moment { throw .cancelledEarly }
    }

    /// Why there is nothing to wait for any more; nil while there is.
    var end: CallFailure? {
        if ending.hasFired { return .ended }
        return Task.isCancelled ? .cancelledEarly : nil
    }
}

extension CallFailure {
    static var cancelledEarly: CallFailure { CallFailure(.cancelled, "the request was cancelled", wasNotSent: true) }
    static var ended: CallFailure {
        CallFailure(.ended, "the service that sends requests has ended", wasNotSent: true, retryAfter: .seconds(1))
    }
}
