import Synchronization
import WireBase
import WireConfig
import WireSyncContract

/// The state of the file's delta queries, and their wakeups.
final class DeltaStatus: Sendable {
    private let state: Mutex<[SyncDelta]>
    private let wakeups: [String: Wakeup]

    init(_ rules: Named<DeltaRules>) {
        state = Mutex(rules.items.map { SyncDelta($0.name, query: $0.value.query.text) })
        wakeups = Dictionary(rules.items.map { ($0.name, Wakeup()) }) { first, _ in first }
    }

    /// Asks the server again soon, for example after a lost connection.
    func wake() { for wakeup in wakeups.values { wakeup.wake() } }

    func wakeup(of type: String) -> Wakeup { wakeups[type] ?? Wakeup() }

    func edit(_ type: String, _ change: (inout SyncDelta) -> Void) {
        state.withLock { state in
            guard let index = state.firstIndex(where: { $0.type == type }) else { return }
            change(&state[index])
        }
    }

    /// Resets the state, which is that of another user.
    func reset() { state.withLock { $0 = $0.map { SyncDelta($0.type, query: $0.query) } } }

    var all: [SyncDelta] { state.withLock { $0 } }
}
