import Synchronization
import WireBase

/// Rings whenever something about tasks has changed; who waits for it says which ring was heard last, so that none is missed.
final class TaskBell: Sendable {
    private let state = Mutex<(count: Int, next: OneShot)>((0, OneShot()))

    var count: Int { state.withLock { $0.count } }

    func ring() {
        let rung = state.withLock { state in
            defer { state = (state.count + 1, OneShot()) }
            return state.next
        }
        rung.fire()
    }

    /// Returns when it has rung more than so many times, or the task is cancelled.
    func wait(after count: Int) async {
        let next = state.withLock { $0.count > count ? nil : $0.next }
        await next?.wait()
    }

    /// The same, for so long at most.
    func wait(after count: Int, atMost limit: Duration, _ clock: Clockwork) async {
        await withTaskGroup { race in
            race.addTask { await self.wait(after: count) }
            race.addTask { try? await clock.sleep(limit) }
            await race.next()
            race.cancelAll()
        }
    }
}
