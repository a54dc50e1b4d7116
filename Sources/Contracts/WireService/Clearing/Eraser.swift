import Synchronization
import WireBase
package import WireStore

/// Removes stored data for a clearing; in a dry run, returns the same counts and changes nothing.
///
/// A service removes through it, and does everything else that a clearing changes only where this is no dry run.
package struct Eraser: Sendable {
    package let isDryRun: Bool
    private let stores: Stores
    /// The store, and its place among all.
    package let store: DataStore
    private let place: Int
    private let failures: ErasureFailures

    /// Makes an eraser for the data of this machine.
    package init(_ stores: Stores, isDryRun: Bool = false) {
        self.init(stores, 0, isDryRun, ErasureFailures())
    }

    private init(_ stores: Stores, _ place: Int, _ isDryRun: Bool, _ failures: ErasureFailures) {
        (self.stores, self.isDryRun, self.failures) = (stores, isDryRun, failures)
        (store, self.place) = (stores.all[place], place)
    }

    /// The eraser for data that the runners of a group may share.
    package func of(_ data: SharedData) -> Eraser {
        Eraser(stores, stores.isShared(data) ? 1 : 0, isDryRun, failures)
    }

    /// The erasers for such data, and for what is left of it on this machine since before it was shared.
    package func everywhere(_ data: SharedData) -> [Eraser] { stores.isShared(data) ? [of(data), self] : [self] }

    /// An eraser for each store.
    package var ofEachStore: [Eraser] { stores.all.indices.map { Eraser(stores, $0, isDryRun, failures) } }

    // MARK: Failures

    /// Erases something; where the store fails, the clearing continues, and says afterwards that data is left.
    package func attempt(_ erase: () async throws(StoreFailure) -> Void) async {
        // Each call to a store that is away takes some time.
        guard !failures.isAway(place) else { return }
        do throws(StoreFailure) { try await erase() } catch { failures.note(error, in: place) }
    }

    /// What has failed since the last call; nil where all was erased.
    func takeFault() -> Fault? { failures.take() }

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
    func scrub() async -> Scrubbed {
        var (copies, remains): (Int, [String]) = (0, [])
        for eraser in ofEachStore {
            await eraser.attempt { () async throws(StoreFailure) in
                let values = eraser.store.values
                let scrubbed = try await isDryRun ? values.scrubbable() : values.scrub()
                copies += scrubbed.copies
                if let place = scrubbed.remains { remains.append(place) }
            }
        }
        return Scrubbed(copies: copies, remains: remains.isEmpty ? nil : remains.joined(separator: "; "))
    }
}

/// The failures of the stores during a clearing.
private final class ErasureFailures: Sendable {
    private struct State {
        /// The stores that were away, and are not asked again.
        var away: [Int: StoreFailure] = [:]
        /// The failures that were not taken yet.
        var new: [Int: StoreFailure] = [:]
    }

    private let state = Mutex(State())

    /// Whether a store was away; then there is a new failure.
    func isAway(_ place: Int) -> Bool {
        state.withLock { state in
            guard let failure = state.away[place] else { return false }
            state.new[place] = failure
            return true
        }
    }

    func note(_ failure: StoreFailure, in place: Int) {
        state.withLock { state in
            if failure.isAway { state.away[place] = failure }
            state.new[place] = state.new[place] ?? failure
        }
    }

    func take() -> Fault? {
        let failures = state.withLock { state in
            defer { state.new = [:] }
            return state.new
        }
        // What is wrong with the store of this machine is told first.
        guard let (place, failure) = failures.min(by: { $0.key < $1.key }) else { return nil }
        return Fault(
            place == 0 ? failure.reason : "the data that the runners of the group share is left: \(failure.reason)",
            help: failure.help ?? "clear again when the store can be used"
        )
    }
}
