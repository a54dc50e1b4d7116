import WireBase

/// How long servers are listened to: a little for each answer, and not for ever for all of them.
struct QuestionBudget: Sendable {
    /// How long one answer may take.
    static let each = Duration.seconds(5)

    /// The shortest time that is worth asking in: less is what is left where a timer ran out a little early.
    private static let least = Duration.milliseconds(50)

    private let end: Duration
    private let clock: Clockwork

    init(_ limit: Duration, by clock: Clockwork) {
        (end, self.clock) = (clock.monotonic() + limit, clock)
    }

    /// How long the next answer may take; nothing where the time for all of them is over.
    var next: Duration {
        let left = end - clock.monotonic()
        return left < Self.least ? .zero : min(Self.each, left)
    }

    var isOver: Bool { next == .zero }
}
