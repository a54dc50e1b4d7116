import WireBase

/// The lifetime of a token by two clocks, safe against clock changes and sleep.
///
/// The monotonic clock never runs ahead: it stops while the machine sleeps, and restarts with the machine. That of
/// another machine, or from before a restart, says nothing. The wall clock is right unless it is set.
struct TokenLifetime: Sendable, Equatable {
    /// The clocks when the token was received.
    let wall: Int64
    let monotonic: Duration
    /// The start of the monotonic clock.
    let boot: String?
    /// The lifetime at that time; nil where the server did not say.
    let lifetime: Duration?

    init(wall: Int64, monotonic: Duration, boot: String? = nil, lifetime: Duration?) {
        self.wall = wall
        self.monotonic = monotonic
        self.boot = boot
        self.lifetime = lifetime
    }

    init(_ grant: Grant, _ clock: TimeSource) {
        let wall = clock.wall()
        self.init(
            wall: wall,
            monotonic: clock.monotonic(),
            boot: clock.boot,
            lifetime: grant.expires.map { .milliseconds(max(0, $0 - wall)) }
        )
    }

    /// The maximum age.
    func age(_ clock: TimeSource) -> Duration {
        max(age(byMonotonic: clock), .milliseconds(clock.wall() - wall))
    }

    private func age(byMonotonic clock: TimeSource) -> Duration {
        boot == clock.boot ? max(.zero, clock.monotonic() - monotonic) : .zero
    }

    /// The minimum remaining lifetime; nil for a token without expiry.
    func remaining(_ clock: TimeSource) -> Duration? { lifetime.map { $0 - age(clock) } }

    /// The maximum remaining lifetime, if the wall clock was set and the machine did not sleep.
    func monotonicRemaining(_ clock: TimeSource) -> Duration? { lifetime.map { $0 - age(byMonotonic: clock) } }

    /// The expiry by the present wall clock.
    func end(_ clock: TimeSource) -> Int64? {
        remaining(clock).map { clock.wall() + Int64(($0 / .milliseconds(1)).rounded()) }
    }

    /// The lead time of the renewal: never more than half of the lifetime.
    func renewalMargin(_ renewBefore: Duration) -> Duration { lifetime.map { min(renewBefore, $0 / 2) } ?? .zero }
}
