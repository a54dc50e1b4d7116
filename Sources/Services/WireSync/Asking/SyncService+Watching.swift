import Synchronization
import WireBase
import WireConfig
import WireHTTP
package import WireService
import WireStore

/// What a watcher is told.
package enum WatchEvent: Sendable {
    /// A whole answer, which differs from the one before.
    case answer(SyncAnswer)
    /// The server could not be asked; the watch goes on.
    case failure(SyncFailure)
}

extension SyncService {
    /// Tells the answer to a query, and each new one when a record changes that it is made of.
    ///
    /// It returns when the teller does not want more, the service stops, or the task is cancelled. Where the cache has no whole
    /// answer after a change, the server is asked, unless the policy forbids it.
    package func watch(
        _ asked: AskedOperation,
        policy wanted: CachePolicy? = nil,
        _ tell: @escaping @Sendable (WatchEvent) async -> Bool
    ) async {
        let watch = CacheWatch()
        let asked = WatchedQuery(service: self, asked: asked, policy: policy(wanted), watch: watch, tell: tell)
        await firstOf([
            { await asked.run() },
            { for await _ in self.users.listen() { watch.wakeup.wake() } },
            { await self.ending.wait() },
        ])
        watch.end()
    }
}

/// The place of one watcher in the cache of the present user.
private final class CacheWatch: Sendable {
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

    /// Its number in a cache, so that it is not woken by what it wrote itself.
    func number(in cache: SyncCache) -> Int? { place.withLock { $0?.cache === cache ? $0?.number : nil } }

    func end() {
        place.withLock { place in
            if let former = place { former.cache.unwatch(former.number) }
            place = nil
        }
    }
}

/// One query that is watched.
private struct WatchedQuery: Sendable {
    let service: SyncService
    let asked: AskedOperation
    let policy: CachePolicy
    let watch: CacheWatch
    let tell: @Sendable (WatchEvent) async -> Bool

    func run() async {
        var last: [UInt8]?
        guard await begin(&last) else { return }
        while await watch.wakeup.next() != nil {
            guard await look(&last) else { return }
        }
    }

    /// What the policy says comes first; false where the teller has had enough.
    private func begin(_ last: inout [UInt8]?) async -> Bool {
        switch policy {
        case .cacheOnly: return await look(&last, asksServer: false)
        case .cacheFirst: return await look(&last, isFirst: true)
        case .cacheAndNetwork:
            guard await look(&last, asksServer: false) else { return false }
            return await fetch(&last)
        case .networkFirst, .networkOnly, .noCache: return await fetch(&last)
        }
    }

    /// Tells what the cache answers, if it is new.
    private func look(_ last: inout [UInt8]?, asksServer: Bool? = nil, isFirst: Bool = false) async -> Bool {
        let asksServer = asksServer ?? (policy != .cacheOnly)
        if let refusal = service.showRefusal(asked.tokens) { return await tell(.failure(refusal)) }
        do throws(SyncFailure) {
            guard let hit = try read(), !(isFirst && hit.isExpired(at: service.host.clock.wall())) else {
                return asksServer ? await fetch(&last) : true
            }
            return await tell(SyncAnswer(hit, now: service.host.clock.wall()), hit.bytes, &last)
        } catch {
            return await tell(.failure(error))
        }
    }

    private func fetch(_ last: inout [UInt8]?) async -> Bool {
        do throws(SyncFailure) {
            let cache = service.caches.present
            let answer = try await service.fetch(asked, but: watch.number(in: cache)).answer
            _ = try read()
            return await tell(answer, answer.data?.bytes() ?? [], &last)
        } catch {
            // What is stored stands in, for as long as the server cannot be asked.
            if policy != .networkOnly, policy != .noCache, error.kind.letsStoredStandIn, last == nil,
                service.showRefusal(asked.tokens) == nil,
                let hit = try? read()
            {
                var answer = SyncAnswer(hit, now: service.host.clock.wall())
                answer.isStale = true
                guard await tell(answer, hit.bytes, &last) else { return false }
            }
            return await tell(.failure(error))
        }
    }

    private func tell(_ answer: SyncAnswer, _ bytes: [UInt8], _ last: inout [UInt8]?) async -> Bool {
        guard bytes != last || answer.errors != nil else { return true }
        last = bytes
        return await tell(.answer(answer))
    }

    /// The answer of the cache, whose records are watched from then on; what changes in between is not missed.
    private func read() throws(SyncFailure) -> CacheHit? {
        let cache = service.caches.present
        do throws(StoreFailure) {
            var followed: Set<RecordKey>?
            while true {
                let (hit, keys): (CacheHit?, Set<RecordKey>) =
                    switch try cache.read(asked.question, pages: .all) {
                    case .hit(let hit): (hit, hit.answer.keys)
                    case .miss(let miss): (nil, miss.keys)
                    }
                // Read once more after it is watched, and again only where it is another set.
                guard keys != followed else { return hit }
                watch.follow(keys, in: cache)
                followed = keys
            }
        } catch {
            throw SyncFailure(error)
        }
    }
}
