import Synchronization
import WireBase
import WireStore

/// The reason for refusing writes to a file until the program restarts; shared by all users of the file.
final class StoreLatch: Sendable {
    private let reason = Mutex<StoreFailure?>(nil)
    private let isLost = Atomic(false)
    private let isGiven = OneShot()

    /// Sets the reason; the first one stays.
    func give(_ failure: StoreFailure) {
        let isFirst = reason.withLock { reason in
            guard reason == nil else { return false }
            reason = failure
            return true
        }
        guard isFirst else { return }
        if failure.kind == .lost { isLost.store(true, ordering: .releasing) }
        isGiven.fire()
    }

    var failure: StoreFailure? { reason.withLock { $0 } }

    /// The loss of a file, if that is the reason.
    var loss: StoreFailure? { isLost.load(ordering: .acquiring) ? failure : nil }

    /// Throws where reads would be from a file that is gone.
    func checkReading() throws(StoreFailure) {
        if let loss { throw loss }
    }

    /// Returns the reason once there is one; nil where the task is cancelled before.
    func wait() async -> StoreFailure? {
        await isGiven.wait()
        return failure
    }
}
