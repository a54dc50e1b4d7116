import Corewire
import CorewireCLI
import WireBase
import WireConfig
import WireStore

/// The status of a database, as text and as JSON.
struct DatabaseText {
    private let database: GroupDatabase
    private let facts: DatabaseFacts

    init(_ database: GroupDatabase, _ facts: DatabaseFacts) { (self.database, self.facts) = (database, facts) }

    /// Whether runners can use the database.
    var isReady: Bool { content != nil }

    private var content: DatabaseFacts.Content? { facts.schema?.content }
    private var runners: [GroupRunner]? { content?.runners }

    var text: String {
        let server = "PostgreSQL \(facts.version.shown(upTo: 64))"
        var rows = [("server", server), ("schema", schema), ("standbys", standbys)]
        rows += facts.standbys.map { ("standby", text($0)) }
        if facts.standbys.contains(where: { $0.progress == nil }) {
            let user = database.user.shown(upTo: 64)
            rows.append(("", "the user '\(user)' may not see more of them: it is no member of 'pg_read_all_stats'"))
        }
        let count = runners.map { "\($0.count) runner\($0.count == 1 ? "" : "s")" } ?? "unknown runners"
        rows.append(("group", "\(database.group) with \(count)"))
        rows += (runners ?? []).map { ("runner", text($0)) }
        return rows.map { name, value in
            "\(name)\(String(repeating: " ", count: max(1, 10 - name.count)))\(value)\n"
        }.joined()
    }

    private func text(_ runner: GroupRunner) -> String {
        let name = (runner.instance.map { "\($0) on " } ?? "") + runner.machine
        return "\(runner.id), \(name.shown(upTo: 400)), corewire \(runner.version.shown(upTo: 64)),"
            + " since \(Display.time(runner.joined)), given up after \(runner.lease)"
    }

    private var schema: String {
        let name = database.schema
        guard facts.hasSessions else { return "\(name.quoted) cannot be asked: \(StoreFailure.noSessions.reason)" }
        guard facts.schema != nil else { return "\(name.quoted) is missing: run 'corewire store migrate'" }
        guard let content else {
            return "\(name.quoted) may not be used by this user: run 'corewire store migrate --as' with its owner"
        }
        return "\(name), version \(content.version)"
    }

    private var standbys: String {
        let isConnected = !facts.standbys.isEmpty
        guard !facts.synchronousStandbys.isEmpty else {
            let connected = isConnected ? "" : ", and none is connected"
            return "none is synchronous\(connected): a failover may lose the last writes"
        }
        // One that may not be seen may be synchronous.
        let mayConfirm = facts.standbys.contains { $0.progress?.isSynchronous ?? true }
        let waits = mayConfirm ? "" : "; none of them is connected: writes wait"
        return "synchronous: \(facts.synchronousStandbys.shown(upTo: 400))\(waits)"
    }

    private func text(_ standby: DatabaseFacts.Standby) -> String {
        let place = standby.address.map { " at \($0.shown(upTo: 64))" } ?? ""
        let name = standby.name.shown(upTo: 64) + place
        guard let progress = standby.progress else { return "\(name), connected" }
        let behind = [progress.behind.map { "\($0) bytes" }, progress.lag.map { "\($0.milliseconds) ms" }]
            .compactMap(\.self).joined(separator: " and ")
        return "\(name), \(progress.confirms), \(progress.state)" + (behind.isEmpty ? "" : ", \(behind) behind")
    }

    var json: JSONValue {
        .members([
            "version": .string(facts.version), "schema": .string(database.schema),
            "schemaVersion": content.map { .integer($0.version) },
            "synchronousStandbys": .string(facts.synchronousStandbys),
            "standbys": .array(facts.standbys.map(Self.json)), "group": .string(database.group),
            "runners": runners.map { .array($0.map(Self.json)) },
        ])
    }

    private static func json(_ runner: GroupRunner) -> JSONValue {
        .members([
            "id": .string("\(runner.id)"), "machine": .string(runner.machine),
            "instance": runner.instance.map(JSONValue.string), "version": .string(runner.version),
            "since": .integer(Int(runner.joined)), "lease": .string("\(runner.lease)"),
        ])
    }

    private static func json(_ standby: DatabaseFacts.Standby) -> JSONValue {
        let progress = standby.progress
        return .members([
            "name": .string(standby.name), "address": standby.address.map(JSONValue.string),
            "hidden": progress == nil ? .boolean(true) : nil, "state": progress.map { .string($0.state) },
            "confirms": progress.map { .string($0.confirms) },
            "behind": progress?.behind.map { .integer(Int($0)) },
            "lag": progress?.lag.map { .integer(Int($0.milliseconds)) },
        ])
    }
}
