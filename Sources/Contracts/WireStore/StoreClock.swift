/// The clocks of a store, injected so that tests can control them.
package struct StoreClock: Sendable {
    /// Milliseconds since 1970; may jump when the clock is set.
    package var now: @Sendable () -> Int64
    /// Milliseconds since boot, including suspend; never jumps.
    package var uptime: @Sendable () -> Int64
    /// The boot id to which `uptime` belongs.
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
