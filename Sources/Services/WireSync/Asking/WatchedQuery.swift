import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireSyncContract

/// A watched query.
struct WatchedQuery: Sendable {
    let service: SyncService
    let asked: AskedOperation
    let policy: CachePolicy
    let watch: CacheWatch
    let emit: @Sendable (WatchEvent) async -> Bool

    private struct Progress {
        /// The region of the answers.
        var region: String
        /// The data delivered last.
        var bytes: [UInt8]?
        /// The results of requests up to this number are known.
        var number = 0
        var pause = FetchPause()
        /// When the server is to be asked, after a pause.
        var due: Duration?

        init(_ region: String) { self.region = region }
    }

    private var clock: TimeSource { service.host.clock }
    private var region: String { service.caches.accounts.region }

    func run() async {
        var progress = Progress(region)
        guard await begin(&progress) else { return }
        while await isWoken(progress) {
            guard await look(&progress) else { return }
        }
    }

    /// Returns when something has changed, or the server may be asked; false when it is cancelled.
    private func isWoken(_ progress: Progress) async -> Bool {
        let rest = progress.due.map { max(.zero, $0 - clock.monotonic()) }
        await watch.wakeup.next(atMost: rest, clock)
        return !Task.isCancelled
    }

    /// Delivers what the policy requires first; false where the receiver wants no more.
    private func begin(_ progress: inout Progress) async -> Bool {
        switch policy {
        case .cacheOnly: return await look(&progress, asksServer: false)
        case .cacheFirst: return await look(&progress, isFirst: true)
        case .cacheAndNetwork:
            guard await look(&progress, asksServer: false) else { return false }
            return await fetch(&progress).goesOn
        case .networkFirst, .networkOnly, .noCache: return await fetch(&progress).goesOn
        }
    }

    /// Delivers the answer of the cache, if it is new.
    private func look(_ progress: inout Progress, asksServer: Bool? = nil, isFirst: Bool = false) async -> Bool {
        let asksServer = asksServer ?? (policy != .cacheOnly)
        let (region, number) = (region, service.fetches.number)
        if region != progress.region { progress = Progress(region) }
        progress.due = nil
        if let refusal = service.showRefusal(asked.tokens) { return await emit(.failure(refusal)) }
        do throws(SyncFailure) {
            guard let hit = try await read().hit, !(isFirst && hit.isExpired(at: clock.wall())) else {
                guard asksServer else { return true }
                return isFirst ? await fetch(&progress).goesOn : await fetchForChange(&progress)
            }
            progress.number = max(progress.number, number)
            return await emit(SyncAnswer(hit, now: clock.wall()), hit.bytes, &progress)
        } catch {
            return await emit(.failure(error))
        }
    }

    /// Asks the server because the cache has lost a part of the answer.
    ///
    /// Where the cache can never hold the complete answer, watchers would ask in turn for what the others have
    /// fetched. So the answer of another watcher's request is used, and there is a pause between requests.
    private func fetchForChange(_ progress: inout Progress) async -> Bool {
        let (question, moment) = (asked.question.identity, await service.fetchMoment)
        let told = SharedFetches.Delivered(number: progress.number, oldest: clock.monotonic() - FetchPause.longest)
        if let latest = service.fetches.latest(question, in: region, after: told, moment) {
            progress.number = latest.number
            let answer = latest.fetched.answer
            return await emit(answer, answer.data?.bytes() ?? [], &progress)
        }
        if let until = progress.pause.until, until > clock.monotonic() {
            progress.due = until
            return true
        }
        let (goesOn, isWhole) = await fetch(&progress, after: told)
        progress.pause.note(clock.monotonic(), isWhole: isWhole)
        return goesOn
    }

    /// Asks the server; returns whether the watch continues, and whether the cache has the complete answer now.
    private func fetch(
        _ progress: inout Progress,
        after told: SharedFetches.Delivered? = nil
    ) async -> (goesOn: Bool, isWhole: Bool) {
        let cache = await service.caches.present
        do throws(SyncFailure) {
            let fetched = try await service.fetch(asked, after: told) { [wakeup = watch.wakeup] in wakeup.forget() }
            progress.number = max(progress.number, fetched.number)
            let (hit, keys) = try await read()
            let isWhole = hit != nil
            guard cache === service.caches.ready else {
                // The answer belongs to another user.
                watch.wakeup.wake()
                return (true, isWhole)
            }
            let goesOn = await emit(fetched.answer, fetched.answer.data?.bytes() ?? [], &progress)
            if try isOutdated(fetched, keys, in: cache) { watch.wakeup.wake() }
            return (goesOn, isWhole)
        } catch {
            return (await tellFailure(error, &progress), false)
        }
    }

    /// Whether the cache's answer differs from the server's: the change it was woken for was reverted meanwhile.
    ///
    /// An answer that the cache cannot reproduce is outdated where its records were changed by others.
    private func isOutdated(
        _ fetched: SyncService.Fetched,
        _ keys: Set<RecordKey>,
        in cache: SyncCache
    ) throws(SyncFailure) -> Bool {
        guard fetched.isKept else { return false }
        return try SyncFailure.wrapping { () throws(StoreFailure) in
            guard fetched.answer.errors == nil, case .hit(let hit) = try cache.read(asked.question) else {
                return cache.hasChanged(keys, during: fetched.span)
            }
            return hit.bytes != fetched.answer.data?.bytes()
        }
    }

    /// Stored data is used for as long as the server cannot be reached.
    private func tellFailure(_ failure: SyncFailure, _ progress: inout Progress) async -> Bool {
        if policy != .networkOnly, failure.kind.letsStoredStandIn, progress.bytes == nil,
            service.showRefusal(asked.tokens) == nil, let hit = try? await read().hit
        {
            var answer = SyncAnswer(hit, now: clock.wall())
            answer.isStale = true
            guard await emit(answer, hit.bytes, &progress) else { return false }
        }
        return await emit(.failure(failure))
    }

    private func emit(_ answer: SyncAnswer, _ bytes: [UInt8], _ progress: inout Progress) async -> Bool {
        guard bytes != progress.bytes || answer.errors != nil else { return true }
        progress.bytes = bytes
        return await emit(.answer(answer))
    }

    /// The answer of the cache, whose records are watched from then on; changes in between are not missed.
    private func read() async throws(SyncFailure) -> (hit: CacheHit?, keys: Set<RecordKey>) {
        let cache = await service.caches.present
        return try SyncFailure.wrapping { () throws(StoreFailure) in
            var followed: Set<RecordKey>?
            while true {
                let (hit, keys): (CacheHit?, Set<RecordKey>) =
                    switch try cache.read(asked.question, pages: .all) {
                    case .hit(let hit): (hit, hit.answer.keys)
                    case .miss(let miss): (nil, miss.keys)
                    }
                // Read once more after the records are watched, and repeated only where their set has changed.
                guard keys != followed else { return (hit, keys) }
                watch.follow(keys, in: cache)
                followed = keys
            }
        }
    }
}

/// The pause before a watcher asks the server again: 1 s, growing to 60 s while requests do not complete the answer.
package struct FetchPause: Sendable {
    /// The time before which nothing is asked.
    package private(set) var until: Duration?
    private var wait = Duration.zero

    private static let shortest = Duration.seconds(1)
    package static let longest = Duration.seconds(60)

    package init() {}

    package mutating func note(_ now: Duration, isWhole: Bool) {
        let isQuiet = until.map { now > $0 + wait } ?? true
        wait = isWhole || isQuiet ? Self.shortest : min(wait * 2, Self.longest)
        until = now + wait
    }
}
