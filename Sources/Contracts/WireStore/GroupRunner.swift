/// A runner of a group that shares a store, as it describes itself to the others.
package struct GroupRunner: Sendable, Equatable {
    package let id: Int64
    /// The machine's own name.
    package let machine: String
    /// The name of the runner among several of its app on the machine; nil where it has none.
    package let instance: String?
    /// The version of its program.
    package let version: String
    /// When it joined the group by the clock of the store's server, in milliseconds since 1970.
    package let joined: Int64
    /// How long it may be silent before the others take over its work.
    package let lease: Duration

    package init(id: Int64, machine: String, instance: String?, version: String, joined: Int64, lease: Duration) {
        (self.id, self.machine, self.instance) = (id, machine, instance)
        (self.version, self.joined, self.lease) = (version, joined, lease)
    }
}

/// The runners of a group, as one of them has seen them last.
package struct GroupView: Sendable {
    package struct Seen: Sendable {
        package let runner: GroupRunner
        package let isSelf: Bool
        /// The time since the last sign of life; nil where there was one just now.
        package let silence: Duration?

        package init(_ runner: GroupRunner, isSelf: Bool, silence: Duration?) {
            (self.runner, self.isSelf, self.silence) = (runner, isSelf, silence)
        }
    }

    /// In the order in which they joined.
    package let runners: [Seen]
    /// The time since the runners were read; nil where that was just now.
    package let age: Duration?

    package init(_ runners: [Seen], age: Duration?) {
        self.runners = runners.sorted { ($0.runner.joined, $0.runner.id) < ($1.runner.joined, $1.runner.id) }
        self.age = age
    }
}
