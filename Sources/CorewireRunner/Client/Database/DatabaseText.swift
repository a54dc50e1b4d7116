import Corewire
import WireBase
import WireConfig

/// The status of a database, as text and as JSON.
enum DatabaseText {
    static func text(_ status: GroupDatabase.Status) -> String {
        var rows = [("server", "PostgreSQL \(status.version)"), ("schema", schema(status))]
        rows.append(("standbys", standbys(status)))
        rows.append(("group", "\(status.group) with \(status.runners.count) runners"))
        for runner in status.runners {
            rows.append(("runner", "\(runner.id) on \(runner.machine), silent for at most \(runner.lease)"))
        }
        return rows.map { name, value in
            "\(name)\(String(repeating: " ", count: max(1, 10 - name.count)))\(value)\n"
        }.joined()
    }

    private static func schema(_ status: GroupDatabase.Status) -> String {
        guard let number = status.schemaVersion else {
            return "\(status.schema.quoted) is missing: run 'corewire store migrate'"
        }
        return "\(status.schema), version \(number)"
    }

    private static func standbys(_ status: GroupDatabase.Status) -> String {
        guard !status.synchronousStandbys.isEmpty else {
            return "none is synchronous: a failover may lose the last writes"
        }
        return "synchronous: \(status.synchronousStandbys)"
    }

    static func json(_ status: GroupDatabase.Status) -> JSONValue {
        .members([
            "version": .string(status.version), "schema": .string(status.schema),
            "schemaVersion": status.schemaVersion.map(JSONValue.integer),
            "synchronousStandbys": .string(status.synchronousStandbys), "group": .string(status.group),
            "runners": .array(
                status.runners.map { runner in
                    .members([
                        "id": .string("\(runner.id)"), "machine": .string(runner.machine),
                        "lease": .string("\(runner.lease)"),
                    ])
                }
            ),
        ])
    }
}
