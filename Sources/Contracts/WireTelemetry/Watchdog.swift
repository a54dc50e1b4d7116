/// Decides whether to ping the service manager, depending on the progress of all critical parts.
///
/// Each part reports a pulse whenever it makes progress, also when idle. A part without a pulse for longer than its
/// allowance withholds the ping, so that the service manager restarts the process.
package struct Watchdog: Sendable {
    private var pulses: [(name: String, allowance: Duration, last: Duration)]

    /// Watches named parts with their allowances; all start as healthy.
    package init(_ allowances: KeyValuePairs<String, Duration>, at now: Duration) {
        pulses = allowances.map { (name: $0.key, allowance: $0.value, last: now) }
    }

    /// Records progress of a part at a monotonic time; times may arrive in any order.
    package mutating func pulse(of name: String, at moment: Duration) {
        guard let index = pulses.firstIndex(where: { $0.name == name }) else { return }
        pulses[index].last = max(pulses[index].last, moment)
    }

    package func verdict(at now: Duration) -> Verdict {
        let still = pulses.filter { now - $0.last > $0.allowance }
        guard !still.isEmpty else { return .ping }
        return .withhold(still.map { Verdict.Stalled(name: $0.name, still: now - $0.last, allowance: $0.allowance) })
    }

    /// The decision when a ping is due.
    package enum Verdict: Sendable, Equatable {
        case ping
        /// Sends no ping because of these parts, in the order of their names.
        case withhold([Stalled])

        /// A part without progress for too long.
        package struct Stalled: Sendable, Equatable {
            package let name: String
            package let still: Duration
            package let allowance: Duration

            package init(name: String, still: Duration, allowance: Duration) {
                self.name = name
                self.still = still
                self.allowance = allowance
            }
        }
    }
}
