import WireBase
import WireNetworkContract

/// The waits of requests, on the clock of the host and limited by the life of the service.
struct Waits: Sendable {
    let clock: TimeSource
    /// Fires when the service ends.
    let ending: OneShot

    var now: Duration { clock.monotonic() }

    /// Runs a cancellable wait until a moment; nil after a timeout.
    ///
    /// After the timeout the work is cancelled and awaited; its result counts.
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

    /// Returns after a duration.
    func sleep(_ duration: Duration) async throws(CallFailure) {
        let moment = now + duration
        let isOver: Bool? = await wait(until: moment + .seconds(1)) {
            do { try await self.clock.sleep(duration) } catch { return false }
            return true
        }
        if let end { throw end }
        // A leaping clock ends both waits at once, in any order.
        if isOver != true, now < moment { throw .cancelledEarly }
    }

    /// Why the wait is pointless now; nil while it is not.
    var end: CallFailure? {
        if ending.hasFired { return .ended }
        return Task.isCancelled ? .cancelledEarly : nil
    }
}

extension CallFailure {
    static var cancelledEarly: CallFailure { CallFailure(.cancelled, "the request was cancelled", wasNotSent: true) }
    static var ended: CallFailure {
        CallFailure(.ended, "the network service has stopped", wasNotSent: true, retryAfter: .seconds(1))
    }
}
