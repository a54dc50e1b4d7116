import Synchronization
import WireBase
import WireStore

/// Why a file is written no more until the program starts again, once there is a reason; known to all who use the file.
final class Verdict: Sendable {
    private let reason = Mutex<StoreFailure?>(nil)
    private let isLost = Atomic(false)
    private let isGiven = OneShot()

    /// The first reason stays.
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

    /// Throws where what is read would be of a file that is gone.
    func checkReading() throws(StoreFailure) {
        if isLost.load(ordering: .acquiring), let failure { throw failure }
    }

    /// Returns when there is a reason; nil where the task is cancelled before.
    func wait() async -> StoreFailure? {
        await isGiven.wait()
        return failure
    }
}
