import WireBase
package import WireHTTP

/// The runners that share a database, as this one has seen them last.
package struct GroupStatus: Sendable {
    package var name: String
    /// In the order in which they joined the group.
    package var runners: [GroupMember]
    /// Since when the state of the others is not known, in milliseconds since 1970; nil where it is known.
    package var unknownSince: Int64?

    package init(name: String, runners: [GroupMember], unknownSince: Int64?) {
        (self.name, self.runners, self.unknownSince) = (name, runners, unknownSince)
    }
}

/// A runner of a group.
package struct GroupMember: Sendable {
    package enum State: String, JSONWord, PlainCodable {
        case alive, silent
        /// The database cannot be reached.
        case unknown
    }

    package var id: String
    /// Whether it is the runner that answers.
    package var isSelf: Bool
    /// The machine's own name.
    package var machine: String
    /// The name of the runner among several of its app on the machine.
    package var instance: String?
    package var version: String
    /// When it joined the group by the clock of the database, in milliseconds since 1970.
    package var since: Int64
    package var state: State
    /// The last sign of life of a silent runner, in milliseconds since 1970.
    package var silentSince: Int64?

    package init(
        id: String,
        isSelf: Bool,
        machine: String,
        instance: String?,
        version: String,
        since: Int64,
        state: State,
        silentSince: Int64?
    ) {
        (self.id, self.isSelf, self.machine, self.instance) = (id, isSelf, machine, instance)
        (self.version, self.since) = (version, since)
        (self.state, self.silentSince) = (state, silentSince)
    }
}

extension GroupStatus: JSONRecord {
    package static let form = JSONForm<Self>("Group", "The runners that share a database.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The group of the app.", .example("com.example.tasks"))
        runners = try members.required("runners", \.runners, "The runners, in the order in which they joined.")
        unknownSince = try members.optional(
            "unknownSince",
            \.unknownSince,
            "Since when the database cannot be reached, in milliseconds since 1970: the runners are those of that time.",
            .moment
        )
    }
}

extension GroupMember: JSONRecord {
    package static let form = JSONForm<Self>("GroupMember", "A runner that shares a database with others.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id of the runner in the group.", .example("3047577535392908024"))
        isSelf = try members.required("current", \.isSelf, "Whether it is the runner that answers.", .example(true))
        machine = try members.required("machine", \.machine, "The name of its machine.", .example("node1"))
        instance = try members.optional(
            "instance",
            \.instance,
            "The name of the runner among several of an app on its machine.",
            .example("one")
        )
        version = try members.required("version", \.version, "The version of the runner.", .example("0.1.0"))
        since = try members.required(
            "since",
            \.since,
            "When it joined the group, in milliseconds since 1970 by the clock of the database.",
            .moment
        )
        state = try members.required(
            "state",
            \.state,
            "Whether it has shown a sign of life in the last seconds; unknown while the database cannot be reached.",
            .example(.alive)
        )
        silentSince = try members.optional(
            "silentSince",
            \.silentSince,
            "The last sign of life of a silent runner, in milliseconds since 1970.",
            .moment
        )
    }
}
