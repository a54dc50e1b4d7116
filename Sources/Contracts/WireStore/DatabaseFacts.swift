/// What the server of a shared store says of itself, of the schema and of a group.
package struct DatabaseFacts: Sendable {
    /// As text, and as a number: 150018 for 15.18.
    package let version: String
    package let versionNumber: Int
    /// Whether runners cannot use the server.
    package var isTooOld: Bool { versionNumber < 130_000 }
    /// As the server names them; empty where it has none.
    package let synchronousStandbys: String
    /// The connected ones, also those that are not synchronous.
    package let standbys: [Standby]
    /// How long a transaction has been open; nil where there is none, or the user may not see it.
    package let oldestTransaction: Duration?
    /// The table of the schema with the most dead rows, among those with more dead rows than others.
    package let deadRows: (table: String, count: Int)?
    /// Whether the user may create schemas.
    package let mayCreateSchemas: Bool
    /// Whether each connection has a session of its own; if not, the schema cannot be asked.
    package let hasSessions: Bool
    /// Nil where the schema is missing.
    package let schema: SchemaFacts?

    /// A server, or another program, that takes the log of this one.
    package struct Standby: Sendable {
        package let name: String
        /// Nil for a Unix socket, or where the user may not see it.
        package let address: String?
        /// Nil where the user may not see it.
        package let progress: Progress?

        package init(name: String, address: String?, progress: Progress?) {
            (self.name, self.address, self.progress) = (name, address, progress)
        }

        /// What it has of the log.
        package struct Progress: Sendable {
            /// `streaming` where it has caught up once.
            package let state: String
            /// `async`, or how it confirms commits: `sync`, `quorum`, or `potential`.
            package let confirms: String
            /// The bytes that are not on its disk; nil where it tells no position.
            package let behind: Int64?
            /// How long the last ones took to get there; nil where there were none for a while.
            package let lag: Duration?

            package init(state: String, confirms: String, behind: Int64?, lag: Duration?) {
                (self.state, self.confirms, self.behind, self.lag) = (state, confirms, behind, lag)
            }

            /// Whether commits wait for it.
            package var isSynchronous: Bool { ["sync", "quorum"].contains(confirms) }
        }
    }

    /// What is known of a schema that is there.
    package struct SchemaFacts: Sendable {
        /// What the user may do with it.
        package enum Rights: Sendable {
            /// The user can call not even all functions.
            case tooFew
            case functions
            /// The user can also read or change tables, or add to the schema.
            case more
        }

        package let rights: Rights
        /// Nil where the user may not ask for it.
        package let content: Content?

        package init(rights: Rights, content: Content?) { (self.rights, self.content) = (rights, content) }
    }

    /// What the functions of the schema say.
    package struct Content: Sendable {
        package let version: Int
        /// Whether only later programs may use it.
        package let needsLaterProgram: Bool
        /// Whether the key of the group is one of those asked for; nil where there is no such group, or no key.
        package let hasKey: Bool?
        package let runners: [GroupRunner]

        package init(version: Int, needsLaterProgram: Bool, hasKey: Bool?, runners: [GroupRunner]) {
            (self.version, self.needsLaterProgram) = (version, needsLaterProgram)
            (self.hasKey, self.runners) = (hasKey, runners)
        }
    }

    package init(
        version: String,
        versionNumber: Int,
        synchronousStandbys: String,
        standbys: [Standby],
        oldestTransaction: Duration?,
        deadRows: (table: String, count: Int)?,
        mayCreateSchemas: Bool,
        hasSessions: Bool,
        schema: SchemaFacts?
    ) {
        (self.version, self.versionNumber) = (version, versionNumber)
        (self.synchronousStandbys, self.standbys) = (synchronousStandbys, standbys)
        (self.oldestTransaction, self.deadRows) = (oldestTransaction, deadRows)
        (self.mayCreateSchemas, self.hasSessions, self.schema) = (mayCreateSchemas, hasSessions, schema)
    }
}
