/// The clocks a store goes by, given to it as a value so that tests can move them.
package struct StoreClock: Sendable {
    /// Milliseconds since 1970; may jump whenever somebody sets the clock.
    package var now: @Sendable () -> Int64
    /// Milliseconds since the machine started, those it slept included; never jumps.
    package var uptime: @Sendable () -> Int64
    /// Which start of the machine `uptime` counts from.
    package var boot: String

    package init(
        now: @escaping @Sendable () -> Int64,
        uptime: @escaping @Sendable () -> Int64,
        boot: String
    ) {
        self.now = now
        self.uptime = uptime
        self.boot = boot
    }
}
