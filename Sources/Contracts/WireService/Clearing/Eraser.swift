package import WireStore

/// Removes stored data for a clearing; in a dry run, returns the same counts and changes nothing.
///
/// A service removes through it, and does everything else that a clearing changes only where this is no dry run.
package struct Eraser: Sendable {
    package let isDryRun: Bool
    private let stores: Stores

    package init(_ stores: Stores, isDryRun: Bool = false) {
        (self.stores, self.isDryRun) = (stores, isDryRun)
    }

    // MARK: Values

    /// Removes an entry; returns whether there was one.
    @discardableResult
    package func remove(_ key: String, in namespace: String) async throws(StoreFailure) -> Bool {
        isDryRun
            ? try await stores.values.summary(key, in: namespace) != nil
            : try await stores.values.remove(key, in: namespace, if: .always)
    }

    /// Removes all entries of a namespace; returns their number.
    @discardableResult
    package func clear(_ namespace: String) async throws(StoreFailure) -> Int {
        isDryRun ? try await stores.values.usage(of: namespace).entries : try await stores.values.clear(namespace)
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
            let page = try await stores.values.list(namespace, prefix: prefix, after: last, limit: 500)
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
        isDryRun ? true : try await stores.queue.drop(item.id, from: queue)
    }

    /// Removes all data of the queues whose names have a prefix.
    @discardableResult
    package func forget(queues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        isDryRun ? try await stores.queue.counts(ofQueues: prefix) : try await stores.queue.forget(queues: prefix)
    }

    /// Removes the outcomes of ended items; returns their number.
    package func forgetEnded(of queue: String) async throws(StoreFailure) -> Int {
        isDryRun ? try await stores.queue.endedCount(of: queue) : try await stores.queue.forgetEnded(of: queue)
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

    // MARK: The store

    /// Erases all traces of removed data from the disk; returns the number of removed copies of earlier versions.
    func scrub() async throws(StoreFailure) -> Int {
        isDryRun ? try await stores.values.formerCopies() : try await stores.values.scrub()
    }
}
