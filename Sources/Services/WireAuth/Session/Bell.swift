import Synchronization
import WireBase

/// Rings whenever something has changed; who waits for it says which ring was heard last, so that none is missed.
final class Bell: Sendable {
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
}

/// Does the first of some things to end, and gives the others up.
func firstOf(_ works: [@Sendable () async -> Void]) async {
    await withTaskGroup { race in
        for work in works { race.addTask { await work() } }
        await race.next()
        race.cancelAll()
    }
}

/// Something that is so or not, told from one task to another.
final class Flag: Sendable {
    private let state: Mutex<Bool>

    init(_ value: Bool) { state = Mutex(value) }

    var value: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
