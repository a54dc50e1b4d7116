import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireStore
package import WireSyncContract

/// An event for a watcher.
package enum WatchEvent: Sendable {
    /// A complete answer that differs from the last one.
    case answer(SyncAnswer)
    /// The server could not be reached; the watch continues.
    case failure(SyncFailure)
}

extension SyncService {
    /// Delivers the answer to a query, and each new one when one of its records changes.
    ///
    /// Returns when the receiver wants no more, the service stops, or the task is cancelled. Where the cache has no
    /// complete answer after a change, the server is asked, unless the policy forbids it.
    package func watch(
        _ asked: AskedOperation,
        policy wanted: CachePolicy? = nil,
        _ tell: @escaping @Sendable (WatchEvent) async -> Bool
    ) async {
        let policy = policy(wanted)
        guard policy != .noCache else { return _ = await tell(.failure(.watchWithoutCache)) }
        let (watch, question) = (CacheWatch(), asked.question.identity)
        let query = WatchedQuery(service: self, asked: asked, policy: policy, watch: watch, emit: tell)
        fetches.watch(question)
        await firstOf([
            { await query.run() },
            { for await _ in self.users.listen() { watch.wakeup.wake() } },
            { await self.ending.wait() },
        ])
        fetches.unwatch(question)
        watch.end()
    }
}

extension SyncFailure {
    static var watchWithoutCache: SyncFailure {
        SyncFailure(
            .invalid,
            "a query cannot be watched with the policy 'noCache'",
            help: "a watch reports changes of the cache; 'networkOnly' sends a request to the server first"
        )
    }
}

/// A watcher's registration in the cache of the present user.
final class CacheWatch: Sendable {
    let wakeup = Wakeup()
    private let place = Mutex<(cache: SyncCache, number: Int)?>(nil)

    /// Wakes from now on when one of these records changes.
    func follow(_ keys: Set<RecordKey>, in cache: SyncCache) {
        place.withLock { place in
            if let place, place.cache === cache { return cache.rewatch(place.number, keys) }
            if let former = place { former.cache.unwatch(former.number) }
            let wakeup = wakeup
            place = (cache, cache.watch(keys) { wakeup.wake() })
        }
    }

    func end() {
        place.withLock { place in
            if let former = place { former.cache.unwatch(former.number) }
            place = nil
        }
    }
}
