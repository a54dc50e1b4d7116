import WireHTTP

/// What is stored of an answer besides its body, with what its fields mean for its use, read once.
struct StoredHead: Sendable, Equatable {
    var status: Status
    var fields: Fields
    /// When the server gave or confirmed it, in milliseconds since 1970.
    var confirmed: Int64
    var freshness: Freshness
    /// Whether nothing of it may be used before the server was asked.
    var noCache: Bool
    /// Whether it may not be used once it is stale.
    var mustRevalidate: Bool
    /// How long beyond its freshness, in milliseconds, it stands in for an error of the server; nil for nothing said.
    var staleIfError: Int64?

    init(_ status: Status, _ fields: Fields, _ directives: CacheDirectives, asked: Int64, came: Int64) {
        self.status = status
        self.fields = Storability.stored(fields, directives)
        confirmed = came
        freshness = Freshness(of: status, fields, directives, asked: asked, came: came)
        noCache = directives.noCache
        mustRevalidate = directives.mustRevalidate
        staleIfError = directives.staleIfError.map { $0.atMost * 1_000 }
    }

    var tag: EntityTag? { fields["ETag"].flatMap { EntityTag(parsing: $0) } }

    /// Its age now; nil where the clock shows a moment before it came, and nobody knows.
    func age(at now: Int64) -> Int64? {
        now < confirmed ? nil : freshness.initialAge + (now - confirmed)
    }

    /// The conditions under which the server need not send it again; nil where there is nothing to compare.
    var conditions: Fields? {
        var conditions = Fields()
        if let tag = fields["ETag"] { conditions["If-None-Match"] = tag }
        if let modified = fields["Last-Modified"] { conditions["If-Modified-Since"] = modified }
        return conditions.all.isEmpty ? nil : conditions
    }

    /// The head after the server has confirmed it with a 304 (RFC 9111, section 4.3.4).
    func confirmed(by news: Fields, asked: Int64, came: Int64) -> (head: StoredHead, directives: CacheDirectives) {
        let merged = Storability.merged(fields, with: news, CacheDirectives(news.values(of: "Cache-Control")))
        let directives = CacheDirectives(merged.values(of: "Cache-Control"))
        var read = merged
        // What the caches on the way say of the 304 is about this moment; the former answer was another one.
        read["Age"] = news["Age"]
        read["Date"] = news["Date"]
        var head = StoredHead(status, read, directives, asked: asked, came: came)
        if head.fields["Date"] == nil { head.fields["Date"] = HTTPDate(milliseconds: came).description }
        return (head, directives)
    }
}
