import WireBase

/// How long servers are listened to: a little for each answer, and not for ever for all of them.
struct QuestionBudget: Sendable {
    /// How long one answer may take.
    static let each = Duration.seconds(5)

    private let end: Duration
    private let clock: Clockwork

    init(_ limit: Duration, by clock: Clockwork) {
        (end, self.clock) = (clock.monotonic() + limit, clock)
    }

    /// How long the next answer may take; nothing where the time for all of them is over.
    var next: Duration { min(Self.each, max(.zero, end - clock.monotonic())) }

    var isOver: Bool { next == .zero }
}
