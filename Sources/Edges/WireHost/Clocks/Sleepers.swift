import CProcess
import Glibc
import Synchronization
import WireBase

/// The sleeps of this process, ended by one thread with a timer.
///
/// `Task.sleep` keeps its memory until its deadline even if it is cancelled. Nearly every sleep here is a timeout for
/// something far shorter, so memory would grow by all that begin within the timeout.
final class Sleepers: Sendable {
    /// Nil where the system provides no timer or no thread.
    static let shared = start()

    private typealias Sleeper = CheckedContinuation<Void, any Error>

    private struct State {
        var deadlines = Deadlines<Sleeper>()
        var last = 0
        /// The time for which the timer is set; nil where it is not.
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

    /// The number of sleepers, and of entries in the queue.
    var counts: (sleeping: Int, places: Int) { state.withLock { ($0.deadlines.count, $0.deadlines.placeCount) } }

    /// Returns after a duration, which includes suspension of the machine; throws when the task is cancelled.
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
                // The cancellation may have come before the sleeper was added.
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
            // The thread runs until the process ends; whatever the read returns, due sleepers are woken.
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

    /// Sets the timer for the first sleeper; a timer for a cancelled one may ring without effect.
    private func setTimer(_ state: inout State) {
        guard let first = state.deadlines.first(), state.ring.map({ first < $0 }) ?? true else { return }
        state.ring = first
        // Set by the remaining time and not by an absolute one, so that a process with a shifted clock is right too.
        _ = corewire_set_timer(timer.number, max(1, first - Self.now()))
    }

    private static func now() -> Int64 {
        var moment = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &moment)
        return Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
    }

    /// Limited to a hundred years, so that additions cannot overflow.
    private static func nanoseconds(of duration: Duration) -> Int64 {
        let (seconds, attoseconds) = min(duration, .seconds(100 * 365 * 86_400)).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
