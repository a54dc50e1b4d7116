/// The backoff of renewals after servers reject a token.
///
/// An API that rejects every token must not cause load on the identity server: the next rejection counts one second
/// after the first, then two, four, up to a minute.
struct RefusalPace: Sendable {
    /// How long a rejection affects the backoff.
    static let memory = Duration.seconds(600)

    private var count = 0
    private var last = Duration.zero

    /// The time until the next rejection counts.
    func wait(at now: Duration) -> Duration {
        guard count > 0 else { return .zero }
        return max(.zero, .seconds(min(60, 1 << min(count - 1, 6))) - (now - last))
    }

    mutating func record(at now: Duration) {
        if now - last >= Self.memory { count = 0 }
        count += 1
        last = now
    }
}
