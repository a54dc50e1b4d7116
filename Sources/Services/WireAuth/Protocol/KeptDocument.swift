import Synchronization
import WireAuthContract
import WireBase
import WireService
import WireStore

/// A document that a server publishes, kept in memory and across restarts.
///
/// What is kept is used until it is too old, and longer where the server cannot be asked: a signature can be checked
/// without a network. However many ask at once, the server is asked once.
final class KeptDocument<Value: Sendable>: Sendable {
    /// What a fetch has brought; a value that was not read from bytes is not written down.
    struct Fetched: Sendable {
        let value: Value
        let bytes: [UInt8]?
    }

    private struct State {
        var value: Value?
        /// When it came, on the clock that only grows; nil for what is too old to be used if there is any other way.
        var came: Duration?
        var hasLookedIntoCache = false
        /// When the server was last asked in vain, and last asked out of turn.
        var failed: Duration?
        var forced: Duration?
    }

    /// How long a server that could not be asked is left alone, and who has nothing better than what is kept goes on with it.
    static var patience: Duration { .seconds(30) }

    private let key: String
    private let maxAge: Duration
    private let clock: Clockwork
    private let cache: any CacheStore
    private let read: @Sendable ([UInt8]) throws(SignInFailure) -> Value
    private let fetch: @Sendable () async throws(SignInFailure) -> Fetched
    private let state = Mutex(State())
    private let work = SharedWork<Value>()
    private let outOfTurn = SharedWork<Value>()

    init(
        _ key: String,
        maxAge: Duration,
        clock: Clockwork,
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

    /// The document, fetched where there is none or it is too old.
    func value() async throws(SignInFailure) -> Value {
        if let value = fresh { return value }
        return try await work.value { () async throws(SignInFailure) -> Value in
            // Somebody may have brought it while this one waited for the turn.
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

    /// The document fetched anew because what is kept lacks something; what is kept where that was done a moment ago.
    ///
    /// Whoever makes up names of keys must not make this program a hammer.
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
            // A cache that takes nothing costs a question more at the next start.
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

    /// What an earlier run has left; read as strictly as if it had just come.
    private func lookIntoCache() {
        let isFirst = state.withLock { state in
            defer { state.hasLookedIntoCache = true }
            return !state.hasLookedIntoCache
        }
        guard isFirst, let kept = (try? cache.cached(key, in: Self.region)) ?? nil, let value = try? read(kept.bytes)
        else { return }
        // Where the clock was set back nobody knows how old it is, so it counts as too old.
        let age = clock.wall() - kept.stored
        let isFresh = age >= 0 && .milliseconds(age) < maxAge
        state.withLock { state in
            guard state.value == nil else { return }
            state.value = value
            state.came = isFresh ? clock.monotonic() - .milliseconds(age) : nil
        }
    }
}
