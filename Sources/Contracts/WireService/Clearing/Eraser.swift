package import WireStore

/// Removes stored data for a clearing; in a dry run, returns the same counts and changes nothing.
///
/// A service removes through it, and does everything else that a clearing changes only where this is no dry run.
package struct Eraser: Sendable {
    package let isDryRun: Bool
    private let stores: Stores
    private let store: DataStore

    /// Makes an eraser for the data of this machine.
    package init(_ stores: Stores, isDryRun: Bool = false) {
        self.init(stores, stores.device, isDryRun)
    }

    private init(_ stores: Stores, _ store: DataStore, _ isDryRun: Bool) {
        (self.stores, self.store, self.isDryRun) = (stores, store, isDryRun)
    }

    /// The eraser for data that the runners of a group may share.
    package func of(_ data: SharedData) -> Eraser { Eraser(stores, stores[data], isDryRun) }

    /// An eraser for each store.
    package var ofEachStore: [Eraser] { stores.all.map { Eraser(stores, $0, isDryRun) } }

    // MARK: Values

    /// All namespaces with entries.
    package func namespaces() async throws(StoreFailure) -> [String] { try await store.values.namespaces() }

    /// Removes an entry; returns whether there was one.
    @discardableResult
    package func remove(_ key: String, in namespace: String) async throws(StoreFailure) -> Bool {
        isDryRun
            ? try await store.values.summary(key, in: namespace) != nil
            : try await store.values.remove(key, in: namespace, if: .always)
    }

    /// Removes all entries of a namespace; returns their number.
    @discardableResult
    package func clear(_ namespace: String) async throws(StoreFailure) -> Int {
        isDryRun ? try await store.values.usage(of: namespace).entries : try await store.values.clear(namespace)
    }

    /// Removes the entries whose keys have a prefix, each after a step; returns their number.
    ///
    /// After a cancellation some remain, and a further call continues.
    @discardableResult
    package func clear(
        _ namespace: String,
        keysBeginning prefix: String,
        beforeEach step: (_ key: String) async throws(StoreFailure) -> Void = { _ in }
    ) async throws(StoreFailure) -> Int {
        var (count, last): (Int, String?) = (0, nil)
        while true {
            let page = try await store.values.list(namespace, prefix: prefix, after: last, limit: 500)
            for summary in page {
                try await step(summary.key)
                if try await remove(summary.key, in: namespace) { count += 1 }
            }
            if page.isEmpty { return count }
            // A clearing begins again, since another process may have added an entry meanwhile.
            if isDryRun { last = page.last?.key }
        }
    }

    // MARK: Work

    /// Removes an item of a queue, even a claimed one; returns whether there was one.
    package func remove(_ item: WaitingWork, from queue: String) async throws(StoreFailure) -> Bool {
        isDryRun ? true : try await store.queue.drop(item.id, from: queue)
    }

    /// Removes all data of the queues whose names have a prefix.
    @discardableResult
    package func forget(queues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        isDryRun ? try await store.queue.counts(ofQueues: prefix) : try await store.queue.forget(queues: prefix)
    }

    /// Removes the outcomes of ended items; returns their number.
    package func forgetEnded(of queue: String) async throws(StoreFailure) -> Int {
        isDryRun ? try await store.queue.endedCount(of: queue) : try await store.queue.forgetEnded(of: queue)
    }

    // MARK: Cached data

    /// Removes the cached values whose keys have a prefix; returns their number.
    package func forgetCached(beginning prefix: String, in region: String) async throws(StoreFailure) -> Int {
        isDryRun
            ? try stores.cache.cachedCount(beginning: prefix, in: region)
            : try await stores.cache.forget(beginning: prefix, in: region)
    }

    /// Removes the records of the regions whose names have a prefix; returns their number.
    package func forgetRecords(ofRegionsBeginning prefix: String) async throws(StoreFailure) -> Int {
        isDryRun
            ? try stores.cache.recordCount(ofRegionsBeginning: prefix)
            : try await stores.cache.forgetRecords(ofRegionsBeginning: prefix)
    }

    // MARK: The stores

    /// Erases all traces of removed data, as far as the stores can.
    func scrub() async throws(StoreFailure) -> Scrubbed {
        var (copies, remains): (Int, [String]) = (0, [])
        for store in stores.all {
            let scrubbed = try await isDryRun ? store.values.scrubbable() : store.values.scrub()
            copies += scrubbed.copies
            if let place = scrubbed.remains { remains.append(place) }
        }
        return Scrubbed(copies: copies, remains: remains.isEmpty ? nil : remains.joined(separator: "; "))
    }
}
