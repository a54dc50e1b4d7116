import WireBase
import WireConfig

/// When a push expires, as its sender says.
package enum PushExpiry: Sendable, Equatable {
    /// Milliseconds since 1970.
    case at(Int64)
    /// After its arrival.
    case after(Duration)

    /// The moment for a push that arrived at a time, in milliseconds since 1970.
    package func moment(ofArrival time: Int64) -> Int64 {
        switch self {
        case .at(let moment): moment
        case .after(let lifetime): time + lifetime.milliseconds
        }
    }

    /// Reads the members beside a notification; zero is no expiry, since such a push was delivered at once.
    init?(_ outside: JSONValue, _ fields: JSONValue) {
        let expiration = "apns-expiration"
        let ttl = ["android.ttl", "webpush.headers.TTL"].lazy.compactMap { outside.text(at: $0) }.first
        if let moment = Self.seconds(fields.text(expiration) ?? outside["apns"]?["headers"]?.text(expiration)) {
            self = .at(moment * 1_000)
        } else if let ttl = Self.seconds(outside.text("google.ttl") ?? fields.text("google.ttl")),
            let sent = outside["google.sent_time"]?.countWithin ?? fields["google.sent_time"]?.countWithin,
            sent <= Self.latest * 1_000
        {
            self = .at(Int64(sent) + ttl * 1_000)
        } else if let ttl = Self.seconds(ttl) {
            self = .after(.seconds(ttl))
        } else {
            return nil
        }
    }

    /// The last second of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// Seconds as a number, or as in JSON forms of Protocol Buffers: `3600s`, `3.5s`.
    private static func seconds(_ text: String?) -> Int64? {
        guard let text, let whole = text.split(separator: ".").first else { return nil }
        let seconds = Int64(whole.hasSuffix("s") ? whole.dropLast() : whole)
        return seconds.flatMap { (1...latest).contains($0) ? $0 : nil }
    }
}
