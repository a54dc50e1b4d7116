import Synchronization
import WireBase

/// Wakes those that wait for a change of the store.
final class StoreBell: Sendable {
    private let signal = ChangeSignal()
    private let isClosed = Mutex(false)

    /// The number of changes; nil once the store is closed.
    var count: Int? { isClosed.withLock { $0 } ? nil : signal.count }

    func ring() { signal.signal() }

    func close() {
        isClosed.withLock { $0 = true }
        signal.signal()
    }

    func wait(after count: Int, atMost limit: Duration) async {
        await withTaskGroup { race in
            race.addTask { await self.signal.wait(after: count) }
            race.addTask { try? await Task.sleep(for: limit) }
            await race.next()
            race.cancelAll()
        }
    }
}
