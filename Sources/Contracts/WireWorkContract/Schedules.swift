import WireConfig
package import WireService

/// Work that is done again and again, or once later, when what it needs is there.
package protocol Schedules: Sendable {
    /// Work of a service, from now on; one of the same name is replaced, and keeps the time of its last run.
    func keep(
        _ task: ScheduledTask,
        in registrations: Registrations,
        _ work: @escaping @Sendable () async throws -> Void
    )

    /// Runs it as soon as nothing of its group runs, whatever its time; false where there is none of that name.
    func runNow(_ name: String) -> Bool
}

extension ServiceAbility where Value == any Schedules {
    package static var schedules: Self { Self(Provision(.schedules)) }
}

/// When work is done.
package struct ScheduledTask: Sendable {
    /// What must be there for it to begin; what the machine does not tell is taken to be there.
    ///
    /// Where the network or the power goes away, or the user is signed out, the work is cancelled and done again later; work
    /// itself may end the idleness.
    package struct Constraints: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let network = Constraints(rawValue: 1)
        /// The machine has little else to do.
        package static let idle = Constraints(rawValue: 2)
        /// It is not running on a battery.
        package static let power = Constraints(rawValue: 4)
        /// A user is signed in.
        package static let user = Constraints(rawValue: 8)
    }

    /// Unique; of services it begins with the name of the service: `content.news`.
    package var name: String
    package var every: Duration
    /// How long before its time it may begin, where that is convenient.
    package var flex: Duration = .zero
    package var constraints: Constraints = []
    /// Of one group nothing runs beside another; its own name where nil.
    package var group: String?
    /// Whether it runs at once where it has never run, instead of when its first period is over.
    package var runsAtStart = false
    /// How long one run may take.
    package var limit: Duration = .seconds(600)
    /// How often it is tried before its next time where it throws, after waits from half a minute that double.
    package var attempts = 1

    package init(_ name: String, every: Duration) {
        (self.name, self.every) = (name, every)
    }
}
