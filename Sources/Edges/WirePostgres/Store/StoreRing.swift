import Synchronization
import WireBase

/// Tells the other runners of a change, at most every 10 ms.
///
/// Not within the transaction: a notification takes a lock of the whole server until the commit.
final class StoreRing: Sendable {
    private struct State {
        var group: Int32?
        var isBusy = false
        var isOwed = false
    }

    private let client: PostgresClient
    private let functions: StoreFunctions
    private let time: TimeSource
    private let state = Mutex(State())

    private static let pause = Duration.milliseconds(10)

    init(_ client: PostgresClient, _ functions: StoreFunctions, _ time: TimeSource) {
        (self.client, self.functions, self.time) = (client, functions, time)
    }

    var group: Int32? {
        get { state.withLock { $0.group } }
        set { state.withLock { $0.group = newValue } }
    }

    /// Tells the others, now or within the pause; what is not told, because no server is reached, is found by their looks.
    func ring() {
        let isFirst = state.withLock { state in
            defer { (state.isBusy, state.isOwed) = (true, true) }
            return !state.isBusy
        }
        guard isFirst else { return }
        Task(executorPreference: client.executor) {
            while let group = self.next() {
                let call = self.functions.call("ring_1", [.int4(group)])
                _ = try? await self.client.rows(call, on: .listener, within: .seconds(2))
                try? await self.time.sleep(Self.pause)
            }
        }
    }

    private func next() -> Int32? {
        state.withLock { state in
            defer { state.isOwed = false }
            state.isBusy = state.isOwed && state.group != nil
            return state.isBusy ? state.group : nil
        }
    }
}
