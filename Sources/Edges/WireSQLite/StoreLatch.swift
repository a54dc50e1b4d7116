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

    /// Throws where reads would be from a file that is gone.
    func checkReading() throws(StoreFailure) {
        if isLost.load(ordering: .acquiring), let failure { throw failure }
    }

    /// Returns the reason once there is one; nil where the task is cancelled before.
    func wait() async -> StoreFailure? {
        await isGiven.wait()
        return failure
    }
}
