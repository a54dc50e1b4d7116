import WireBase

/// The timeouts of online checks: one per response, and a total.
struct QuestionBudget: Sendable {
    /// The timeout of one response.
    static let each = Duration.seconds(5)

    /// The minimum useful timeout; less remains where a timer fired early.
    private static let least = Duration.milliseconds(50)

    private let end: Duration
    private let clock: TimeSource

    init(_ limit: Duration, by clock: TimeSource) {
        (end, self.clock) = (clock.monotonic() + limit, clock)
    }

    /// The timeout of the next response; zero where the total timeout has passed.
    var next: Duration {
        let left = end - clock.monotonic()
        return left < Self.least ? .zero : min(Self.each, left)
    }

    var isOver: Bool { next == .zero }
}
