import Synchronization
import WireAuthContract
import WireBase
import WireService
import WireStore

/// A document of the server, cached in memory and across restarts.
///
/// A cached document is used until it is too old, and longer where the server is unreachable, so that signatures can be
/// verified without a network. Concurrent callers share one request.
final class CachedDocument<Value: Sendable>: Sendable {
    /// The result of a fetch; a value without bytes is not cached.
    struct Fetched: Sendable {
        let value: Value
        let bytes: [UInt8]?
    }

    private struct State {
        var value: Value?
        /// When the value was fetched, on the monotonic clock; nil for a value that is used only as a fallback.
        var came: Duration?
        var hasLookedIntoCache = false
        /// The times of the last failed fetch and of the last early fetch.
        var failed: Duration?
        var forced: Duration?
    }

    /// The pause after a failed fetch, during which callers get the cached value.
    static var patience: Duration { .seconds(30) }

    private let key: String
    private let maxAge: Duration
    private let clock: TimeSource
    private let cache: any CacheStore
    private let read: @Sendable ([UInt8]) throws(SignInFailure) -> Value
    private let fetch: @Sendable () async throws(SignInFailure) -> Fetched
    private let state = Mutex(State())
    private let work = SharedWork<Value>()
    private let outOfTurn = SharedWork<Value>()

    init(
        _ key: String,
        maxAge: Duration,
        clock: TimeSource,
        cache: any CacheStore,
        read: @escaping @Sendable ([UInt8]) throws(SignInFailure) -> Value,
        fetch: @escaping @Sendable () async throws(SignInFailure) -> Fetched
    ) {
        self.key = key
        self.maxAge = maxAge
        self.clock = clock
        self.cache = cache
        self.read = read
        self.fetch = fetch
    }

    /// Returns the document; fetches it where none is cached or the cached one is too old.
    func value() async throws(SignInFailure) -> Value {
        if let value = fresh { return value }
        return try await work.value { () async throws(SignInFailure) -> Value in
            // Another task may have fetched the document while this one waited.
            if let value = fresh { return value }
            lookIntoCache()
            if let value = fresh { return value }
            let (kept, failed) = state.withLock { ($0.value, $0.failed) }
            if let kept, let failed, clock.monotonic() - failed < Self.patience { return kept }
            do throws(SignInFailure) {
                return try await renew()
            } catch {
                if error.kind == .abandoned { throw error }
                state.withLock { $0.failed = clock.monotonic() }
                guard let kept else { throw error }
                return kept
            }
        }
    }

    /// Fetches the document early for a missing key; returns the cached one shortly after an early fetch.
    ///
    /// The limit keeps tokens with made-up key ids from causing a request each.
    func renewedOutOfTurn() async throws(SignInFailure) -> Value {
        try await outOfTurn.value { () async throws(SignInFailure) -> Value in
            let kept: Value? = state.withLock { state in
                let now = clock.monotonic()
                if let forced = state.forced, now - forced < Self.patience, let value = state.value { return value }
                state.forced = now
                return nil
            }
            if let kept { return kept }
            return try await renew()
        }
    }

    private var fresh: Value? {
        state.withLock { state in
            guard let came = state.came, clock.monotonic() - came < maxAge else { return nil }
            return state.value
        }
    }

    private func renew() async throws(SignInFailure) -> Value {
        let fetched = try await fetch()
        state.withLock { state in
            state.value = fetched.value
            state.came = clock.monotonic()
            state.failed = nil
        }
        if let bytes = fetched.bytes {
            // A failed write to the cache costs only a request at the next start.
            _ = try? await cache.cache(
                CachedValue(bytes: bytes, notes: [], stored: clock.wall()),
                under: key,
                in: Self.region,
                bound: .mebibytes(16)
            )
        }
        return fetched.value
    }

    private static var region: String { "identity" }

    /// Reads the document that an earlier run cached, with the same checks as a fetched one.
    private func lookIntoCache() {
        let isFirst = state.withLock { state in
            defer { state.hasLookedIntoCache = true }
            return !state.hasLookedIntoCache
        }
        guard isFirst, let kept = (try? cache.cached(key, in: Self.region)) ?? nil, let value = try? read(kept.bytes)
        else { return }
        // After the clock was set back, the age is unknown and counts as too old.
        let age = clock.wall() - kept.stored
        let isFresh = age >= 0 && .milliseconds(age) < maxAge
        state.withLock { state in
            guard state.value == nil else { return }
            state.value = value
            state.came = isFresh ? clock.monotonic() - .milliseconds(age) : nil
        }
    }
}
