/// Leaves a host alone for a while when it has failed many times in a row, then lets one request try.
struct Breaker: Sendable {
    enum State: Sendable, Equatable {
        case closed(failures: Int)
        case open(until: Duration)
        /// One request tries, all others are turned away.
        case trying
    }

    /// What a request is told that wants to pass.
    enum Answer: Sendable, Equatable {
        case pass
        /// It is the one that tries.
        case tries
        case rests(for: Duration)
    }

    private(set) var state = State.closed(failures: 0)

    init() {}

    /// Whether a request may pass.
    mutating func ask(at now: Duration, pause: Duration) -> Answer {
        switch state {
        case .closed: return .pass
        case .open(let until) where now >= until:
            state = .trying
            return .tries
        case .open(let until): return .rests(for: until - now)
        // Whoever tries is back after one attempt, which has limits of its own.
        case .trying: return .rests(for: min(pause, .seconds(1)))
        }
    }

    /// Tells what became of a request that passed, and whether it was the one that tried.
    mutating func note(_ outcome: Outcome, ofTrial: Bool, at now: Duration, tolerating failures: Int, pause: Duration) {
        switch (state, outcome) {
        // One that was on its way before says nothing new.
        case (.open, _): break
        case (.trying, _) where !ofTrial: break
        case (_, .success): state = .closed(failures: 0)
        case (.closed(let count), .failure):
            state = count + 1 >= failures ? .open(until: now + pause) : .closed(failures: count + 1)
        case (.trying, .failure): state = .open(until: now + pause)
        // Nobody knows more than before; the next one tries.
        case (.trying, .unknown): state = .open(until: now)
        case (.closed, .unknown): break
        }
    }

    enum Outcome: Sendable { case success, failure, unknown }

    var isClosed: Bool { if case .closed = state { true } else { false } }
}
