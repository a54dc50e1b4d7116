/// Decides whether the service manager is told that the program is well: a ping is earned by every part that matters.
///
/// Each part shows a pulse whenever it gets anywhere, also when there is nothing to do; whoever has shown none for longer
/// than it may withholds the ping, and the service manager does what it does to programs that hang.
package struct Watchdog: Sendable {
    private var pulses: [(name: String, allowance: Duration, last: Duration)]

    /// Watches parts by name, each with how long it may be still; all are taken to be well at the beginning.
    package init(_ allowances: KeyValuePairs<String, Duration>, at now: Duration) {
        pulses = allowances.map { (name: $0.key, allowance: $0.value, last: now) }
    }

    /// Notes that a part got somewhere at a moment of the monotonic clock; moments may come in any order.
    package mutating func pulse(of name: String, at moment: Duration) {
        guard let index = pulses.firstIndex(where: { $0.name == name }) else { return }
        pulses[index].last = max(pulses[index].last, moment)
    }

    package func verdict(at now: Duration) -> Verdict {
        let still = pulses.filter { now - $0.last > $0.allowance }
        guard !still.isEmpty else { return .ping }
        return .withhold(still.map { Verdict.Stalled(name: $0.name, still: now - $0.last, allowance: $0.allowance) })
    }

    /// What to do when it is time for a ping.
    package enum Verdict: Sendable, Equatable {
        case ping
        /// Say nothing, because of these parts, in the order they were named.
        case withhold([Stalled])

        /// A part that has got nowhere for too long.
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
