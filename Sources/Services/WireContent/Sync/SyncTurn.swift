import Synchronization
import WireBase

/// Lets one at a time do something; whoever comes meanwhile waits until it is done.
final class SyncTurn: Sendable {
    private let running = Mutex<OneShot?>(nil)

    /// True for who is to do it, and must say when it is done; false for who has waited for somebody else.
    func begin() async -> Bool {
        let other = running.withLock { running -> OneShot? in
            if let running { return running }
            running = OneShot()
            return nil
        }
        guard let other else { return true }
        await other.wait()
        return false
    }

    func end() {
        running.withLock { running in
            defer { running = nil }
            return running
        }?.fire()
    }

    var isTaken: Bool { running.withLock { $0 != nil } }
}
