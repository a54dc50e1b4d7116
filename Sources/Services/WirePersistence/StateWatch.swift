import WireBase
package import WireStore

/// The changes of a namespace by this or another process of the group, as they happen.
///
/// Each iteration starts where the watch does, and ends with the service.
package struct StateWatch: AsyncSequence, Sendable {
    package enum Item: Sendable {
        case change(StoreChanges.Change)
        /// The changes between two versions are no longer known.
        case gap(after: Int64, before: Int64)
        /// There are no further changes up to a version, from which a client may resume.
        case reached(Int64)
    }

    let store: any KeyValueStore
    /// The namespace's name in the store, which depends on the environment.
    package let scope: String
    /// The version after which it starts.
    package let start: Int64
    let ending: OneShot

    init(store: any KeyValueStore, scope: String, after start: Int64, until ending: OneShot) {
        self.store = store
        self.scope = scope
        self.start = start
        self.ending = ending
    }

    package func makeAsyncIterator() -> Iterator { Iterator(watch: self, seen: start) }

    package struct Iterator: AsyncIteratorProtocol {
        let watch: StateWatch
        private var seen: Int64
        private var ready: ArraySlice<Item> = []

        init(watch: StateWatch, seen: Int64) {
            self.watch = watch
            self.seen = seen
        }

        /// The number of changes read at once.
        private static let batch = 256

        package mutating func next() async throws(StoreFailure) -> Item? {
            while ready.isEmpty {
                if watch.ending.hasFired || Task.isCancelled { return nil }
                try await look()
                if ready.isEmpty { await somethingHappens() }
            }
            return ready.popFirst()
        }

        private mutating func look() async throws(StoreFailure) {
            let found = try await watch.store.changes(after: seen, in: watch.scope, limit: Self.batch)
            var items: [Item] = []
            if found.hasGap {
                items.append(.gap(after: seen, before: found.changes.first?.version ?? found.version))
            }
            items += found.changes.map(Item.change)
            if found.version != seen { items.append(.reached(found.version)) }
            seen = found.version
            ready = items[...]
        }

        /// Returns when the store has changed, the service has ended, or the store has failed, which the next read
        /// reports.
        private func somethingHappens() async {
            let (watch, seen) = (watch, seen)
            await withTaskGroup { race in
                race.addTask { _ = try? await watch.store.changed(after: seen) }
                race.addTask { await watch.ending.wait() }
                await race.next()
                race.cancelAll()
            }
        }
    }
}
