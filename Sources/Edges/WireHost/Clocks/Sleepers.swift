import CProcess
import Glibc
import Synchronization
import WireBase

/// Those who sleep in this process, and one thread that wakes each at its time.
///
/// `Task.sleep` keeps what a sleep was made of until its time comes, though it was cancelled long before. Nearly every sleep
/// here is a limit for something that ends in a hundredth of it: as many would be kept as begin within the limit.
final class Sleepers: Sendable {
    /// Nothing, where the system gives no timer or no thread.
    static let shared = start()

    private typealias Sleeper = CheckedContinuation<Void, any Error>

    private struct State {
        var deadlines = Deadlines<Sleeper>()
        var last = 0
        /// When the timer rings; nil where it is not set.
        var ring: Int64?
    }

    private let state = Mutex(State())
    private let timer: Descriptor

    private init(_ timer: consuming Descriptor) {
        self.timer = timer
    }

    private static func start() -> Sleepers? {
        let number = corewire_timer()
        guard number >= 0 else { return nil }
        let sleepers = Sleepers(Descriptor(owning: number))
        return SystemThread.start("sleepers") { sleepers.wakeAll() } ? sleepers : nil
    }

    /// How many sleep, and how many places are held for them.
    var counts: (sleeping: Int, places: Int) { state.withLock { ($0.deadlines.count, $0.deadlines.placeCount) } }

    /// Returns when so much time has passed, also while the machine was suspended; throws when the task is cancelled.
    func sleep(_ duration: Duration) async throws {
        guard duration > .zero else {
            await Task.yield()
            return try Task.checkCancellation()
        }
        let end = Self.now() + Self.nanoseconds(of: duration)
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { sleeper in
                state.withLock { state in
                    state.deadlines.add(sleeper, number, until: end)
                    setTimer(&state)
                }
                // Who cancelled it before it was there has not found it.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        state.withLock { $0.deadlines.remove(number) }?.resume(throwing: CancellationError())
    }

    // MARK: Waking

    private func wakeAll() -> Never {
        var rings: UInt64 = 0
        while true {
            // Nothing ends it but the end of the process; whatever it returns, those whose time has come are woken.
            _ = unsafe read(timer.number, &rings, MemoryLayout<UInt64>.size)
            let due = state.withLock { state in
                state.ring = nil
                let due = state.deadlines.due(at: Self.now())
                setTimer(&state)
                return due
            }
            for sleeper in due { sleeper.resume() }
        }
    }

    /// Sets the timer for the first of all; one that is set for somebody who has gone may ring in vain.
    private func setTimer(_ state: inout State) {
        guard let first = state.deadlines.first(), state.ring.map({ first < $0 }) ?? true else { return }
        state.ring = first
        // By what is left and not by the moment, so that it is right for whoever is shown another clock.
        _ = corewire_set_timer(timer.number, max(1, first - Self.now()))
    }

    private static func now() -> Int64 {
        var moment = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &moment)
        return Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
    }

    /// A hundred years at most, which leaves room for what is added to it.
    private static func nanoseconds(of duration: Duration) -> Int64 {
        let (seconds, attoseconds) = min(duration, .seconds(100 * 365 * 86_400)).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
