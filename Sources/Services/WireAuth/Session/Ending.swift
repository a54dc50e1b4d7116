import Synchronization

/// Tells everybody who waits that it is over; whoever comes later is told at once.
final class Ending: Sendable {
    private struct State {
        var isOver = false
        var waiting: [Int: AsyncStream<Never>.Continuation] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.isOver } }

    func fire() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.finish() }
    }

    /// Returns when it is over, or the task is cancelled.
    func wait() async {
        let (stream, waiter) = AsyncStream.makeStream(of: Never.self)
        let number: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.last += 1
            state.waiting[state.last] = waiter
            return state.last
        }
        guard let number else { return }
        for await _ in stream {}
        state.withLock { _ = $0.waiting.removeValue(forKey: number) }
    }
}

/// Rings whenever something has changed; who waits for it says which ring was heard last, so that none is missed.
final class Bell: Sendable {
    private let state = Mutex<(count: Int, next: Ending)>((0, Ending()))

    var count: Int { state.withLock { $0.count } }

    func ring() {
        let rung = state.withLock { state in
            defer { state = (state.count + 1, Ending()) }
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
