import Synchronization
import WireBase
import WireStore
import Workbench

/// A store one of whose readers is slow: what it has read is older than what has been written meanwhile.
final class LateStore: StoreAround {
    private struct State {
        var key: (String, String)?
        var old: StoredEntry?
        /// What is written when the slow one reads.
        var late: [UInt8]?
        /// Whether the next reading is the slow one, and whether it has been.
        var (isNext, hasBeen) = (false, false)
    }

    let store: any KeyValueStore
    private let state = Mutex(State())
    /// Fired when somebody waits for changes.
    let isFollowed = OneShot()
    /// Fired when who has read slowly looks for the next change, which waits until the test lets it.
    let hasLagged = OneShot()
    let goOn = OneShot()

    init(_ store: any KeyValueStore) { self.store = store }

    /// Lets the first one who reads after a text was written find what is there now.
    func lag(behind text: String) async throws(StoreFailure) {
        guard let (key, namespace) = state.withLock({ $0.key }) else { return }
        let entry = try await store.entry(key, in: namespace)
        state.withLock { ($0.old, $0.late) = (entry, Array(text.utf8)) }
    }

    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        let old: StoredEntry? = state.withLock { state in
            guard key.hasSuffix("/device") else { return nil }
            state.key = (key, namespace)
            guard state.isNext, let old = state.old else { return nil }
            (state.isNext, state.hasBeen, state.old) = (false, true, nil)
            return old
        }
        if let old { return old }
        return try await store.entry(key, in: namespace)
    }

    func changed(after version: Int64) async throws(StoreFailure) -> Int64 {
        isFollowed.fire()
        if state.withLock({ $0.hasBeen }) {
            hasLagged.fire()
            await goOn.wait()
        }
        return try await store.changed(after: version)
    }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        state.withLock { state in
            guard state.old != nil, state.late.map({ value.bytes.contains($0) }) ?? false else { return }
            state.isNext = true
        }
        return try await store.put(value, under: key, in: namespace, if: condition)
    }
}
