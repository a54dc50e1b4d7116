import WireHTTP

/// The stored head of a response, with the parsed fields for its use.
struct StoredHead: Sendable, Equatable {
    var status: Status
    var fields: Fields
    /// When the server sent or validated the response, in milliseconds since 1970.
    var confirmed: Int64
    var freshness: Freshness
    /// Whether the response must be validated before each use.
    var noCache: Bool
    /// Whether the response must not be used once it is stale.
    var mustRevalidate: Bool
    /// How long after its freshness the response may replace a server error; nil where the server does not say.
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

    /// The present age; nil where the clock is before the receipt, so that the age is unknown.
    func age(at now: Int64) -> Int64? {
        now < confirmed ? nil : freshness.initialAge + (now - confirmed)
    }

    /// The conditions for validating the response; nil where it has no validator.
    var conditions: Fields? {
        var conditions = Fields()
        if let tag = fields["ETag"] { conditions["If-None-Match"] = tag }
        if let modified = fields["Last-Modified"] { conditions["If-Modified-Since"] = modified }
        return conditions.all.isEmpty ? nil : conditions
    }

    /// The head after a validation by a 304 (RFC 9111, section 4.3.4).
    func confirmed(by fresh: Fields, asked: Int64, came: Int64) -> (head: StoredHead, directives: CacheDirectives) {
        let merged = Storability.merged(fields, with: fresh, CacheDirectives(fresh.values(of: "Cache-Control")))
        let directives = CacheDirectives(merged.values(of: "Cache-Control"))
        var read = merged
        // `Age` in the 304 is about the present moment.
        read["Age"] = fresh["Age"]
        read["Date"] = fresh["Date"]
        var head = StoredHead(status, read, directives, asked: asked, came: came)
        if head.fields["Date"] == nil { head.fields["Date"] = HTTPDate(milliseconds: came).description }
        return (head, directives)
    }
}
