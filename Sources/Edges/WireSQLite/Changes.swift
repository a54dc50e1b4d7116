import Dispatch
import Glibc
import Synchronization
import WireStore

/// Wakes who waits for a change, by this process or another.
///
/// Whoever commits opens a file of the folder afterwards and closes it again, which every process hears that watches it
/// and which leaves nothing for the disk to write. The write into the log cannot serve for that: it is heard before what
/// was written can be read.
final class Changes: Sendable {
    private let path: String
    private let clerk = DispatchQueue(label: "store: changes")
    private let state = Mutex(State())

    private struct State {
        /// How many notices have come.
        var heard = 0
        var next = 0
        var listeners: [Int: CheckedContinuation<Void, Never>?] = [:]
        var watch: FileWatch?
        var isClosed = false
    }

    init(by path: String) {
        self.path = path
    }

    /// Tells all processes, this one too, that something was committed.
    func tell() {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        hear()
    }

    /// What somebody who waits found when they looked.
    enum Look<Answer> {
        case found(Answer)
        /// Nothing yet, and when to look again at the latest.
        case nothing(again: Duration)
    }

    /// Looks, and looks again after each change, until something is found.
    func wait<Answer>(until look: () throws(StoreFailure) -> Look<Answer>) async throws(StoreFailure) -> Answer {
        let listener = try begin()
        defer { end(listener) }
        while true {
            let heard = state.withLock { $0.heard }
            switch try look() {
            case .found(let answer): return answer
            case .nothing(let pause):
                // A notice may be lost with the process that owed it.
                await sleep(listener, unlessHeardSince: heard, upTo: min(pause, .seconds(2)))
            }
            if Task.isCancelled { throw StoreFailure(.cancelled, "the wait for a change was given up") }
            if state.withLock({ $0.isClosed }) { throw .closed }
        }
    }

    func close() {
        let watch = state.withLock { state in
            state.isClosed = true
            return state.watch.take()
        }
        watch?.end()
        hear()
    }

    private func begin() throws(StoreFailure) -> Int {
        let (listener, isFirst, isClosed) = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = .some(nil)
            return (state.next, state.watch == nil, state.isClosed)
        }
        if isClosed {
            end(listener)
            throw .closed
        }
        if isFirst,
            let watch = FileWatch([(path, Int(IN_CLOSE_NOWRITE))], on: clerk, heard: { [weak self] in self?.hear() })
        {
            // Another one may have begun at the same moment: one watch is enough.
            let surplus = state.withLock { state in
                if state.watch != nil || state.isClosed { return watch as FileWatch? }
                state.watch = watch
                return nil
            }
            surplus?.end()
        }
        return listener
    }

    private func end(_ listener: Int) {
        let watch = state.withLock { state in
            state.listeners[listener] = nil
            return state.listeners.isEmpty ? state.watch.take() : nil
        }
        watch?.end()
    }

    private func sleep(_ listener: Int, unlessHeardSince heard: Int, upTo pause: Duration) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.heard != heard || state.isClosed { return true }
                    state.listeners[listener] = continuation
                    return false
                }
                if isOver { return continuation.resume() }
                clerk.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: pause.milliseconds))) { [weak self] in
                    self?.wake(listener)
                }
                // Who was cancelled before there was anything to wake finds it here.
                if Task.isCancelled { wake(listener) }
            }
        } onCancel: {
            wake(listener)
        }
    }

    private func wake(_ listener: Int) {
        let sleeper = state.withLock { state in
            state.listeners[listener].flatMap { sleeper in
                state.listeners[listener] = .some(nil)
                return sleeper
            }
        }
        sleeper?.resume()
    }

    private func hear() {
        let sleepers = state.withLock { state in
            state.heard += 1
            let sleepers = state.listeners.filter { $0.value != nil }
            for listener in sleepers.keys { state.listeners[listener] = .some(nil) }
            return sleepers.values
        }
        for sleeper in sleepers { sleeper?.resume() }
    }
}
