import WireHTTP

/// Decides how to use a stored response, from the request, the stored head and the clock alone.
struct CachePolicy: Sendable {
    let request: CacheDirectives
    /// The maximum time since the server sent or validated a usable response, in milliseconds.
    let maxAge: Int64

    /// The way to answer a request.
    enum Verdict: Sendable, Equatable {
        /// From the cache; the age in milliseconds.
        case use(age: Int64, isStale: Bool)
        /// By a conditional request to the server.
        case validate(Fields)
        /// By a request to the server.
        case load
    }

    /// Whether a stored response may be used without an answer of the server.
    enum Fallback: Sendable, Equatable {
        case give(age: Int64, isStale: Bool)
        /// No, for this reason.
        case refuse(String)
    }

    /// Why the server's answer is missing.
    enum Trouble: Sendable, Equatable {
        /// The server was not asked, or is unreachable.
        case unasked
        /// The server answered with an error.
        case error
    }

    /// Decides whether the server must be asked (RFC 9111, section 4).
    func verdict(on stored: StoredHead, at now: Int64) -> Verdict {
        let asking = stored.conditions.map(Verdict.validate) ?? .load
        // After the clock was set back the age is unknown, so the server is asked.
        guard !stored.noCache, !request.noCache, let age = stored.age(at: now), now - stored.confirmed <= maxAge else {
            return asking
        }
        if let limit = request.maxAge?.atMost, age > limit * 1_000 { return asking }
        let wanted = request.minFresh.map { $0.atMost * 1_000 } ?? 0
        let staleness = age + wanted - stored.freshness.lifetime
        if staleness < 0 || (staleness == 0 && wanted > 0) { return .use(age: age, isStale: false) }
        guard wanted == 0, accepts(staleness: staleness), !stored.mustRevalidate else { return asking }
        return .use(age: age, isStale: true)
    }

    /// Whether the request accepts this staleness.
    private func accepts(staleness: Int64) -> Bool {
        switch request.maxStale {
        case nil: false
        case .any: true
        case .upTo(let seconds): staleness <= seconds * 1_000
        }
    }

    /// Whether a stored response may replace the server's answer (RFC 9111, section 4.2.4; RFC 5861, section 4).
    func fallback(on stored: StoredHead, at now: Int64, for trouble: Trouble) -> Fallback {
        if stored.noCache {
            return .refuse("the stored response must be validated by the server first (Cache-Control: no-cache)")
        }
        if request.noCache {
            return .refuse("the request does not accept a stored response (Cache-Control: no-cache)")
        }
        guard now - stored.confirmed <= maxAge else {
            return .refuse("the stored response is older than network.cache.maxAge")
        }
        guard let age = stored.age(at: now) else { return withoutClock(stored) }
        let staleness = age - stored.freshness.lifetime
        // `max-age` is a strict limit, unless the request also accepts staleness.
        if let limit = request.maxAge?.atMost, age > limit * 1_000, staleness < 0 || request.maxStale == nil {
            return .refuse("the stored response is older than the request accepts (Cache-Control: max-age=\(limit))")
        }
        if let wanted = request.minFresh?.atMost, staleness + wanted * 1_000 > 0 {
            return .refuse("the stored response is less fresh than the request demands (Cache-Control: min-fresh)")
        }
        if staleness < 0 { return .give(age: age, isStale: false) }
        if stored.mustRevalidate { return .refuse(Self.forbidden) }
        if request.maxStale != nil, !accepts(staleness: staleness) {
            return .refuse("the stored response is more stale than the request accepts (Cache-Control: max-stale)")
        }
        if trouble == .error, let limit = staleIfErrorLimit(stored), staleness > limit {
            return .refuse("the stored response is too stale for the server (Cache-Control: stale-if-error)")
        }
        return .give(age: age, isStale: true)
    }

    /// The fallback of a machine whose clock is not set yet: the age is unknown, so the response counts as stale.
    private func withoutClock(_ stored: StoredHead) -> Fallback {
        if stored.mustRevalidate { return .refuse(Self.forbidden) }
        guard request.maxAge == nil, request.minFresh == nil else {
            return .refuse("the age of the stored response is unknown, since the clock was set back")
        }
        return .give(age: stored.freshness.initialAge, isStale: true)
    }

    private func staleIfErrorLimit(_ stored: StoredHead) -> Int64? {
        let asked = request.staleIfError.map { $0.atMost * 1_000 }
        guard let asked, let told = stored.staleIfError else { return asked ?? stored.staleIfError }
        return min(asked, told)
    }

    private static let forbidden =
        "the stored response is stale, and the server requires validation (Cache-Control: must-revalidate)"
}
