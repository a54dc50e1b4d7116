import WireHTTP

/// The freshness lifetime and initial age of a response (RFC 9111, sections 4.2.1 to 4.2.3), in milliseconds.
struct Freshness: Sendable, Equatable {
    let lifetime: Int64
    /// The age at the receipt: the maximum of the server's date, the `Age` field and the transfer time.
    let initialAge: Int64

    init(lifetime: Int64, initialAge: Int64) {
        (self.lifetime, self.initialAge) = (lifetime, initialAge)
    }

    /// Computes the freshness from a response and the local times of its request and receipt.
    init(of status: Status, _ fields: Fields, _ directives: CacheDirectives, asked: Int64, came: Int64) {
        let date = fields["Date"].flatMap { HTTPDate(parsing: $0, now: came / 1_000) }.map { $0.seconds * 1_000 }
        // Whole seconds, so that a fraction does not add to the age.
        let apparent = max(0, came / 1_000 - (date ?? came) / 1_000) * 1_000
        var told: Int64 = 0
        if let age = fields["Age"].flatMap({ FieldList($0).first { _ in true } }),
            case .count(let seconds) = CacheDirectives.seconds(age)
        {
            told = seconds * 1_000
        }
        initialAge = max(apparent, told + max(0, came - asked))
        lifetime = Self.lifetime(of: status, fields, directives, date: date ?? came)
    }

    private static func lifetime(
        of status: Status,
        _ fields: Fields,
        _ directives: CacheDirectives,
        date: Int64
    ) -> Int64 {
        // A private cache ignores 's-maxage'.
        if let maxAge = directives.maxAge { return maxAge.atMost * 1_000 }
        let expires = fields.values(of: "Expires")
        if !expires.isEmpty {
            // An invalid date, such as "0", means expired; so do two dates.
            guard expires.count == 1, let end = HTTPDate(parsing: expires[0], now: date / 1_000) else { return 0 }
            return max(0, end.seconds * 1_000 - date)
        }
        guard directives.isPublic || status.isHeuristicallyCacheable,
            let modified = fields["Last-Modified"].flatMap({ HTTPDate(parsing: $0, now: date / 1_000) })
        else { return 0 }
        return min(max(0, date - modified.seconds * 1_000) / 10, longestGuess)
    }

    /// The maximum heuristic lifetime.
    private static let longestGuess: Int64 = 3_600 * 1_000
}

extension Status {
    /// Whether the status allows a heuristic lifetime (RFC 9110, section 15.1); partial responses are not stored.
    var isHeuristicallyCacheable: Bool {
        switch code {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}
