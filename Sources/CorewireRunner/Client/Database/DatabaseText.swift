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
    private var runners: [GroupRunner] { content?.runners ?? [] }

    var text: String {
        let server = "PostgreSQL \(facts.version.shown(upTo: 64))"
        var rows = [("server", server), ("schema", schema), ("standbys", standbys)]
        rows.append(("group", "\(database.group) with \(runners.count) runner\(runners.count == 1 ? "" : "s")"))
        rows += runners.map { ("runner", text($0)) }
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
        guard !facts.synchronousStandbys.isEmpty else {
            return "none is synchronous: a failover may lose the last writes"
        }
        return "synchronous: \(facts.synchronousStandbys.shown(upTo: 400))"
    }

    var json: JSONValue {
        .members([
            "version": .string(facts.version), "schema": .string(database.schema),
            "schemaVersion": content.map { .integer($0.version) },
            "synchronousStandbys": .string(facts.synchronousStandbys), "group": .string(database.group),
            "runners": .array(
                runners.map { runner in
                    .members([
                        "id": .string("\(runner.id)"), "machine": .string(runner.machine),
                        "instance": runner.instance.map(JSONValue.string), "version": .string(runner.version),
                        "since": .integer(Int(runner.joined)), "lease": .string("\(runner.lease)"),
                    ])
                }
            ),
        ])
    }
}
