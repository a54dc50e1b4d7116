/// How often a session is renewed because a server has refused its token.
///
/// An API that refuses every token must not make a load on the identity server out of it: the next refusal counts a second
/// after the first, then two, four, up to a minute.
struct RefusalPace: Sendable {
    /// How long the pause goes on growing after a refusal.
    static let memory = Duration.seconds(600)

    private var count = 0
    private var last = Duration.zero

    /// How long until a refusal counts.
    func wait(at now: Duration) -> Duration {
        guard count > 0 else { return .zero }
        return max(.zero, .seconds(min(60, 1 << min(count - 1, 6))) - (now - last))
    }

    mutating func note(at now: Duration) {
        if now - last >= Self.memory { count = 0 }
        count += 1
        last = now
    }
}
