import Synchronization
import WireBase

/// Tells of this runner's changes, at once and at most every 10 ms: each listener then reads from the database.
final class StoreRing: Sendable {
    private struct State {
        var isBusy = false
        var isOwed = false
    }

    private let executor: any TaskExecutor
    private let time: TimeSource
    private let tell: @Sendable () async -> Void
    private let state = Mutex(State())

    private static let pause = Duration.milliseconds(10)

    init(on executor: any TaskExecutor, _ time: TimeSource, _ tell: @escaping @Sendable () async -> Void) {
        (self.executor, self.time, self.tell) = (executor, time, tell)
    }

    func ring() {
        let isFirst = state.withLock { state in
            defer { (state.isBusy, state.isOwed) = (true, true) }
            return !state.isBusy
        }
        guard isFirst else { return }
        Task(executorPreference: executor) {
            while self.next() {
                await self.tell()
                try? await self.time.sleep(Self.pause)
            }
        }
    }

    private func next() -> Bool {
        state.withLock { state in
            defer { state.isOwed = false }
            state.isBusy = state.isOwed
            return state.isBusy
        }
    }
}
