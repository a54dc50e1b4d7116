import WireBase

/// How long a token lives, told by both clocks: neither a clock that is set nor a machine that sleeps makes it older or
/// younger than it is for long.
///
/// The monotonic clock never says more than has passed: it stands still while the machine sleeps, and begins anew with it.
/// The wall clock says what has passed unless somebody sets it.
struct TokenLife: Sendable, Equatable {
    /// The clocks when the token came.
    let wall: Int64
    let monotonic: Duration
    /// How long it was good for then; nil where the server did not say.
    let lifetime: Duration?

    init(wall: Int64, monotonic: Duration, lifetime: Duration?) {
        self.wall = wall
        self.monotonic = monotonic
        self.lifetime = lifetime
    }

    init(_ grant: Grant, _ clock: Clockwork) {
        let wall = clock.wall()
        self.init(
            wall: wall,
            monotonic: clock.monotonic(),
            lifetime: grant.expires.map { .milliseconds(max(0, $0 - wall)) }
        )
    }

    /// How old it is at the most.
    func age(_ clock: Clockwork) -> Duration {
        max(age(byMonotonic: clock), .milliseconds(clock.wall() - wall))
    }

    private func age(byMonotonic clock: Clockwork) -> Duration { max(.zero, clock.monotonic() - monotonic) }

    /// How much longer it is surely good; nil for ever.
    func remaining(_ clock: Clockwork) -> Duration? { lifetime.map { $0 - age(clock) } }

    /// How much longer it may still be good, if the wall clock was set rather than the machine asleep.
    func hopefullyRemaining(_ clock: Clockwork) -> Duration? { lifetime.map { $0 - age(byMonotonic: clock) } }

    /// When it ends by the wall clock as it stands now.
    func end(_ clock: Clockwork) -> Int64? {
        remaining(clock).map { clock.wall() + Int64(($0 / .milliseconds(1)).rounded()) }
    }

    /// How long before its end it is to be renewed: never more than half of its life.
    func lead(_ renewBefore: Duration) -> Duration { lifetime.map { min(renewBefore, $0 / 2) } ?? .zero }
}
