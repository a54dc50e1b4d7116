import Synchronization
import WireBase

/// Counts work in flight, and wakes a waiter when it reaches zero.
final class InFlightCount: Sendable {
    private let count = Atomic<Int>(0)
    private let waiters = Mutex<[OneShot]>([])

    var present: Int { count.load(ordering: .relaxed) }

    func began() { count.add(1, ordering: .relaxed) }

    func ended() {
        guard count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        wake()
    }

    /// Waits until nothing is in flight, or the task is cancelled.
    func idle() async {
        let isIdle = OneShot()
        waiters.withLock { $0.append(isIdle) }
        // Work that ended before the waiter was registered could not wake it.
        if count.load(ordering: .acquiring) == 0 { wake() }
        await isIdle.wait()
    }

    private func wake() {
        let waiting = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in waiting { waiter.fire() }
    }
}
