/// The clocks of a part of the program, as a value: the host's clocks, or in tests manual ones.
package struct TimeSource: Sendable {
    /// The wall clock in milliseconds since 1970, which may jump in both directions.
    package let wall: @Sendable () -> Int64
    /// The monotonic clock, from an arbitrary start; used for waits and deadlines.
    package let monotonic: @Sendable () -> Duration
    /// A monotonic clock that also counts while the machine is suspended; used for leases, which others measure too.
    package let uptime: @Sendable () -> Duration
    /// Names the start of the monotonic clocks: another one on each machine, and after each restart of a machine.
    package let boot: String?
    /// Returns after a monotonic duration, or throws when the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void

    package init(
        wall: @escaping @Sendable () -> Int64,
        monotonic: @escaping @Sendable () -> Duration,
        uptime: (@Sendable () -> Duration)? = nil,
        boot: String? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.wall = wall
        self.monotonic = monotonic
        self.uptime = uptime ?? monotonic
        self.boot = boot
        self.sleep = sleep
    }
}

extension Duration {
    /// The duration in seconds, for metrics and logs.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// The duration in whole microseconds, for the service manager.
    package var inMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
