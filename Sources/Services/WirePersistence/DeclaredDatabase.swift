package import WireBase
package import WireConfig
package import WireService
package import WireStore

/// The database of a services file, with the group that uses it.
package struct DeclaredDatabase: Sendable {
    package let store: SharedStore
    package let group: String
    /// The key in base64, and the former one; none where one of them is not known here.
    package let keys: [Secret<String>]
    private let keyPlace: Place

    /// Nil where the file declares no database, or not a whole one.
    package init?(_ configuration: Configuration) {
        guard let section = configuration[PersistenceSection.self], let store = section.store,
            let group = configuration[AppSection.self]?.group
        else { return nil }
        (self.store, self.group, keyPlace) = (store, group.text, section.$key)
        let areKnown = [section.$key, section.$previousKey].allSatisfy { $0.state != .uncertain }
        keys = areKnown ? [section.key, section.previousKey].compactMap(\.self) : []
    }

    /// Whether all is known here that a connection needs.
    var isKnown: Bool { store.$url.state != .uncertain && store.$password.state != .uncertain }

    /// The differences between the file and its database, at the values of the file.
    package func findings(_ facts: DatabaseFacts) -> [OnlineFinding] {
        var findings: [OnlineFinding] = []
        if facts.isTooOld {
            let reason = "the server is PostgreSQL \(facts.version), expected 13 or later"
            findings.append(unfit(store.$url, "url", reason))
        }
        guard facts.hasSessions else {
            let failure = StoreFailure.noSessions
            return findings + [unfit(store.$url, "url", failure.reason, help: failure.help.map { Advice($0) })]
        }
        findings += facts.schema.map(differences) ?? [missingSchema(facts)]
        if store.confirm == .replica, facts.synchronousStandbys.isEmpty {
            let reason = "the server has no synchronous standby, which 'confirm: replica' requires"
            let help = Advice("set 'synchronous_standby_names' in the server")
            findings.append(unfit(store.$confirm, "confirm", reason, help: help))
        }
        if let age = facts.oldestTransaction, age > Self.longestTransaction {
            let minutes = age.components.seconds / 60
            let reason = "a transaction has been open for \(minutes) minutes, which makes claims slow"
            let help = Advice("end it: see pg_stat_activity")
            findings.append(finding(.longTransaction, store.$url, "url", reason, help: help))
        }
        if let dead = facts.deadRows, dead.count > Self.mostDeadRows {
            let reason = "the table \(dead.table.quoted) has \(dead.count) dead rows, which makes reads slow"
            let help = Advice("see why autovacuum does not remove them")
            findings.append(finding(.deadRows, store.$url, "url", reason, help: help))
        }
        return findings
    }

    private static let longestTransaction = Duration.seconds(600)
    private static let mostDeadRows = 10_000

    private func missingSchema(_ facts: DatabaseFacts) -> OnlineFinding {
        let reason = "the database has no schema \(schema)"
        if store.migrate == .never {
            let help = Advice("run 'corewire store migrate --as' with a user who may create schemas")
            return unfit(store.$migrate, "migrate", reason, help: help)
        }
        guard facts.mayCreateSchemas else {
            let help = Advice("run 'corewire store migrate --as' with a user who may")
            return unfit(store.$url, "url", "\(reason), and the user \(user) may not create it", help: help)
        }
        return finding(.missingSchema, store.$url, "url", "\(reason); the first runner makes it", help: nil)
    }

    private func differences(_ found: DatabaseFacts.SchemaFacts) -> [OnlineFinding] {
        guard let content = found.content else {
            let reason = "the user \(user) may not call the functions of the schema \(schema)"
            let help = Advice("run 'corewire store migrate --as' with the owner of its tables")
            return [unfit(store.$url, "url", reason, help: help)]
        }
        var findings: [OnlineFinding] = []
        if content.needsLaterProgram {
            let reason = "the schema \(schema) is for later versions of corewire only"
            let help = Advice("install the version that the other runners have")
            findings.append(unfit(store.$schema, "schema", reason, help: help))
        }
        if found.rights == .more, store.migrate == .never {
            let reason = "the user \(user) may do more than call functions"
            let help = Advice("name a user that owns nothing, and run 'corewire store migrate --as' with the owner")
            findings.append(finding(.databaseRights, store.$url, "url", reason, help: help))
        }
        if content.hasKey == false {
            let path = "persistence.key"
            let help = Advice("give all runners of a group the same 'persistence.key'")
            let message = "\(path): the group \(group.quoted) has another key in the database"
            findings.append(OnlineFinding(.unfitDatabase, at: keyPlace, about: path, message, help: help))
        }
        return findings
    }

    private var user: String { store.url.user.quoted }
    private var schema: String { store.schema.text.quoted }

    private func unfit(_ place: Place, _ key: String, _ reason: String, help: Advice? = nil) -> OnlineFinding {
        finding(.unfitDatabase, place, key, reason, help: help)
    }

    private func finding(_ code: Code, _ place: Place, _ key: String, _ reason: String, help: Advice?) -> OnlineFinding
    {
        let path = "persistence.store.\(key)"
        return OnlineFinding(code, at: place, about: path, "\(path): \(reason)", help: help)
    }
}
