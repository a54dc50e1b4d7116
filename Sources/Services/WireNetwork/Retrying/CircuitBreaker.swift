/// A circuit breaker: opens after consecutive failures of a host, then lets one request try.
struct CircuitBreaker: Sendable {
    enum State: Sendable, Equatable {
        case closed(failures: Int)
        case open(until: Duration)
        /// One request tries; all others are rejected.
        case trying
    }

    /// The decision on a request.
    enum Answer: Sendable, Equatable {
        case pass
        /// The request is the trial.
        case trial
        case open(for: Duration)
    }

    private(set) var state = State.closed(failures: 0)

    init() {}

    /// Decides whether a request may pass.
    mutating func ask(at now: Duration, pause: Duration) -> Answer {
        switch state {
        case .closed: return .pass
        case .open(let until) where now >= until:
            state = .trying
            return .trial
        case .open(let until): return .open(for: until - now)
        // The trial has its own timeout and ends soon.
        case .trying: return .open(for: min(pause, .seconds(1)))
        }
    }

    /// Records the outcome of a request, and whether the request was the trial.
    mutating func record(_ outcome: Outcome, ofTrial: Bool, at now: Duration, tolerating failures: Int, pause: Duration)
    {
        switch (state, outcome) {
        // A request from before the opening says nothing new.
        case (.open, _): break
        case (.trying, _) where !ofTrial: break
        case (_, .success): state = .closed(failures: 0)
        case (.closed(let count), .failure):
            state = count + 1 >= failures ? .open(until: now + pause) : .closed(failures: count + 1)
        case (.trying, .failure): state = .open(until: now + pause)
        // An unknown outcome: the next request is the trial.
        case (.trying, .unknown): state = .open(until: now)
        case (.closed, .unknown): break
        }
    }

    enum Outcome: Sendable { case success, failure, unknown }

    var isClosed: Bool { if case .closed = state { true } else { false } }
}
