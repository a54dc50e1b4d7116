import Synchronization
import WireBase
import WireStore

/// The parsed copies in memory, within a limit; others are read from the store each time.
///
/// Copies that are being read or written do not count yet.
final class CopyCache: Sendable {
    private struct Entry {
        var stored: CopyStore.Stored
        var used: UInt64
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var uses: UInt64 = 0
        var cost = 0
    }

    private let store: CopyStore
    private let limit: ByteCount
    private let state = Mutex(State())

    init(_ store: CopyStore, limit: ByteCount) {
        self.store = store
        self.limit = limit
    }

    /// The copy of a scope; nil where there is none, or an unreadable one.
    func find(_ scope: String) async throws(StoreFailure) -> ModuleCopy? { try await read(scope).stored?.copy }

    func read(_ scope: String) async throws(StoreFailure) -> CopyStore.Reading {
        let known = state.withLock { state -> CopyStore.Stored? in
            state.uses += 1
            state.entries[scope]?.used = state.uses
            return state.entries[scope]?.stored
        }
        if let known { return CopyStore.Reading(stored: known, version: known.version) }
        let reading = try await store.read(scope)
        if let stored = reading.stored { put(stored, scope) }
        return reading
    }

    /// Adds a copy, unless it is older than the present one.
    func put(_ stored: CopyStore.Stored, _ scope: String) {
        let limit = limit.bytes
        state.withLock { state in
            if let former = state.entries[scope] {
                guard former.stored.version <= stored.version else { return }
                state.cost -= former.stored.copy.cost
                state.entries[scope] = nil
            }
            guard stored.copy.cost <= limit else { return }
            state.uses += 1
            state.entries[scope] = Entry(stored: stored, used: state.uses)
            state.cost += stored.copy.cost
            while state.cost > limit, let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
                state.cost -= oldest.value.stored.copy.cost
                state.entries[oldest.key] = nil
            }
        }
    }

    func forget(_ scope: String) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: scope) else { return }
            state.cost -= entry.stored.copy.cost
        }
    }

    /// The approximate memory of the copies.
    var cost: ByteCount { .bytes(state.withLock(\.cost)) }
}
