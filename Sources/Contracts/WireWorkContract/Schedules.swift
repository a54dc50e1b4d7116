import WireConfig
package import WireService

/// Runs periodic and delayed work when its constraints are met.
package protocol Schedules: Sendable {
    /// Registers work of a service; replaces work of the same name, and keeps the time of its last run.
    func keep(
        _ task: ScheduledTask,
        in registrations: Registrations,
        _ work: @escaping @Sendable () async throws -> Void
    )

    /// Runs the work as soon as no other of its group runs; false where the name is unknown.
    func runNow(_ name: String) -> Bool
}

extension ServiceAbility where Value == any Schedules {
    package static var schedules: Self { Self(Provision(.schedules)) }
}

/// A scheduled task.
package struct ScheduledTask: Sendable {
    /// The constraints for starting; conditions that the machine does not report count as met.
    ///
    /// Where the network or the power is lost, or the user signs out, the work is cancelled and repeated later. The
    /// work itself may end the idle state.
    package struct Constraints: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let network = Constraints(rawValue: 1)
        /// The machine is idle.
        package static let idle = Constraints(rawValue: 2)
        /// The machine has external power.
        package static let power = Constraints(rawValue: 4)
        /// A user is signed in.
        package static let user = Constraints(rawValue: 8)
    }

    /// A unique name; that of a service's task begins with the service: `content.news`.
    package var name: String
    package var every: Duration
    /// How long before its time the task may begin.
    package var flex: Duration = .zero
    package var constraints: Constraints = []
    /// The group: tasks of one group do not run concurrently; the name of the task where nil.
    package var group: String?
    /// Whether the first run happens at once, instead of after the first period.
    package var runsAtStart = false
    /// The maximum duration of a run.
    package var limit: Duration = .seconds(600)
    /// The maximum number of attempts per period; retries wait half a minute, then twice as long each time.
    package var attempts = 1

    package init(_ name: String, every: Duration) {
        (self.name, self.every) = (name, every)
    }
}
