import WireConfig

/// When a push expires, as its sender says.
enum PushExpiry {
    /// Reads the members beside a notification; returns milliseconds since 1970.
    ///
    /// Zero is no expiry, since such a push was delivered at once. A lifetime without the time of sending is for the
    /// service, which has delivered it.
    static func moment(_ outside: JSONValue, _ fields: JSONValue) -> Int64? {
        let expiration = "apns-expiration"
        if let moment = seconds(fields.text(expiration) ?? outside["apns"]?["headers"]?.text(expiration)) {
            return moment * 1_000
        }
        guard let lifetime = seconds(outside.text("google.ttl") ?? fields.text("google.ttl")),
            let sent = outside["google.sent_time"]?.countWithin ?? fields["google.sent_time"]?.countWithin,
            sent <= latest * 1_000
        else { return nil }
        return Int64(sent) + lifetime * 1_000
    }

    /// The last second of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    private static func seconds(_ text: String?) -> Int64? {
        text.flatMap { Int64($0) }.flatMap { (1...latest).contains($0) ? $0 : nil }
    }
}
