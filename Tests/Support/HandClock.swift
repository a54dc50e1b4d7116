import Synchronization
package import WireBase

/// A clock that a test moves manually; sleeps end when it has been moved far enough.
package final class HandClock: Sendable {
    private struct State {
        var wall: Int64
        /// Also counts the time for which the machine was suspended, as sleeps do.
        var uptime: Duration = .zero
        var suspended: Duration = .zero
        var sleepers: [Int: (until: Duration, wake: CheckedContinuation<Void, any Error>)] = [:]
        var lastSleeper = 0
        var waits = 0
    }

    private let state: Mutex<State>

    private let boot: String?

    /// Starts at a time in milliseconds since 1970, on a machine that is named by its start.
    package init(wall: Int64 = 1_772_323_199_999, boot: String? = nil) {
        state = Mutex(State(wall: wall))
        self.boot = boot
    }

    package var clockwork: TimeSource {
        TimeSource(
            wall: { self.state.withLock(\.wall) },
            monotonic: { self.state.withLock { $0.uptime - $0.suspended } },
            uptime: { self.state.withLock(\.uptime) },
            boot: boot,
            sleep: { try await self.sleep($0) }
        )
    }

    /// The number of sleeps so far.
    package var waits: Int { state.withLock(\.waits) }

    /// The number of sleeps in progress.
    package var sleepers: Int { state.withLock(\.sleepers.count) }

    /// Whether a sleep would end within a duration.
    package func wakes(in duration: Duration) -> Bool {
        state.withLock { state in state.sleepers.values.contains { $0.until <= state.uptime + duration } }
    }

    /// Moves the clock; the monotonic one stands still while the machine is suspended.
    package func pass(_ duration: Duration, isSuspended: Bool = false) {
        let woken = state.withLock { state in
            state.uptime += duration
            if isSuspended { state.suspended += duration }
            state.wall += duration.inMicroseconds / 1_000
            let due = state.sleepers.filter { $0.value.until <= state.uptime }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.until < $1.until }
        }
        for sleeper in woken { sleeper.wake.resume() }
    }

    /// Sets the wall clock, as an administrator or a time server does.
    package func jump(to wall: Int64) { state.withLock { $0.wall = wall } }

    private func sleep(_ duration: Duration) async throws {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let early: Result<Void, any Error>? = state.withLock { state in
                    // Counted together with the sleeper, so that a test that sees the count may move the clock.
                    state.waits += 1
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if duration <= .zero { return .success(()) }
                    state.sleepers[number] = (state.uptime + duration, wake)
                    return nil
                }
                if let early { wake.resume(with: early) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: number) }?.wake.resume(throwing: CancellationError())
        }
    }
}
