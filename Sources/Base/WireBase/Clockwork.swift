/// The clocks a part of the program goes by, as a value: the host lends the real ones, tests move theirs by hand.
package struct Clockwork: Sendable {
    /// What calendars and other machines go by, in milliseconds since 1970; may jump in both directions.
    package let wall: @Sendable () -> Int64
    /// Only ever grows, from an arbitrary beginning; what waits and deadlines are measured with.
    package let monotonic: @Sendable () -> Duration
    /// Returns when so much monotonic time has passed, or throws when the waiting task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void

    package init(
        wall: @escaping @Sendable () -> Int64,
        monotonic: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.wall = wall
        self.monotonic = monotonic
        self.sleep = sleep
    }
}

extension Duration {
    /// The duration in seconds, as metrics and logs write it.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// The duration in whole microseconds, as the service manager writes it.
    package var inMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
