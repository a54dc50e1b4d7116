import WireHTTP

/// What to do with what is stored, decided from a request, a stored head and the clock; nothing else is looked at.
struct CachePolicy: Sendable {
    let request: CacheDirectives
    /// How long ago the server may have given or confirmed what is used at all, in milliseconds.
    let maxAge: Int64

    /// How a request is to be answered.
    enum Verdict: Sendable, Equatable {
        /// From the store, without asking; the age in milliseconds.
        case use(age: Int64, isStale: Bool)
        /// By asking whether what is stored is still so.
        case validate(Fields)
        /// By asking for it.
        case load
    }

    /// Whether what is stored may be given where the server was not asked, or had no answer.
    enum Fallback: Sendable, Equatable {
        case give(age: Int64, isStale: Bool)
        /// Not, because of what is said here.
        case refuse(String)
    }

    /// Why the server has no answer.
    enum Trouble: Sendable, Equatable {
        /// It was not asked, or could not be.
        case unasked
        /// It has answered with an error of its own.
        case error
    }

    /// Whether the server must be asked (RFC 9111, section 4).
    func verdict(on stored: StoredHead, at now: Int64) -> Verdict {
        let asking = stored.conditions.map(Verdict.validate) ?? .load
        // Where the clock was set back nobody knows how old it is, and the server does.
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

    /// Whether the request itself accepts what is so stale.
    private func accepts(staleness: Int64) -> Bool {
        switch request.maxStale {
        case nil: false
        case .any: true
        case .upTo(let seconds): staleness <= seconds * 1_000
        }
    }

    /// Whether what is stored stands in for the server (RFC 9111, section 4.2.4; RFC 5861, section 4).
    func fallback(on stored: StoredHead, at now: Int64, for trouble: Trouble) -> Fallback {
        if stored.noCache {
            return .refuse("what is stored may not be used before the server was asked (Cache-Control: no-cache)")
        }
        if request.noCache {
            return .refuse("the request does not accept what is stored (Cache-Control: no-cache)")
        }
        guard now - stored.confirmed <= maxAge else {
            return .refuse("what is stored is older than network.cache.maxAge allows")
        }
        guard let age = stored.age(at: now) else { return withoutClock(stored) }
        let staleness = age - stored.freshness.lifetime
        // A request that says how old is too old means it, unless it says how stale as well.
        if let limit = request.maxAge?.atMost, age > limit * 1_000, staleness < 0 || request.maxStale == nil {
            return .refuse("what is stored is older than the request accepts (Cache-Control: max-age=\(limit))")
        }
        if let wanted = request.minFresh?.atMost, staleness + wanted * 1_000 > 0 {
            return .refuse("what is stored is not as fresh as the request demands (Cache-Control: min-fresh)")
        }
        if staleness < 0 { return .give(age: age, isStale: false) }
        if stored.mustRevalidate { return .refuse(Self.forbidden) }
        if request.maxStale != nil, !accepts(staleness: staleness) {
            return .refuse("what is stored is staler than the request accepts (Cache-Control: max-stale)")
        }
        if trouble == .error, let limit = staleIfErrorLimit(stored), staleness > limit {
            return .refuse("what is stored is staler than the server allows for errors (Cache-Control: stale-if-error)")
        }
        return .give(age: age, isStale: true)
    }

    /// A machine whose clock is not set yet has what is stored and nothing else; that it is stale is all that can be said.
    private func withoutClock(_ stored: StoredHead) -> Fallback {
        if stored.mustRevalidate { return .refuse(Self.forbidden) }
        guard request.maxAge == nil, request.minFresh == nil else {
            return .refuse("how old what is stored is cannot be told, since the clock was set back")
        }
        return .give(age: stored.freshness.initialAge, isStale: true)
    }

    private func staleIfErrorLimit(_ stored: StoredHead) -> Int64? {
        let asked = request.staleIfError.map { $0.atMost * 1_000 }
        guard let asked, let told = stored.staleIfError else { return asked ?? stored.staleIfError }
        return min(asked, told)
    }

    private static let forbidden =
        "what is stored is stale, and the server forbids to use it unasked (Cache-Control: must-revalidate)"
}
