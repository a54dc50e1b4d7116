import Corewire
import CorewireCLI
import WireBase
import WireHost
import WireService

/// Checks the database that the runners of a group share; nothing where the file declares none.
struct DatabaseCheckup {
    private static let area = "database"

    static func findings(
        _ invocation: Invocation,
        _ embeddedServers: any Service.Type,
        _ environment: Environment
    ) async -> [Finding] {
        let database: GroupDatabase
        do {
            // A file that cannot be used is a finding of its own.
            let options = try RunOptions(invocation, embeddedServers)
            guard let declared = try GroupDatabase.declared(by: options, environment: environment) else { return [] }
            database = declared
        } catch {
            return []
        }
        do throws(StartFailure) {
            return findings(of: try await database.status())
        } catch {
            return [.problem(area, error.reason, help: error.help)]
        }
    }

    private static func findings(of status: GroupDatabase.Status) -> [Finding] {
        var findings: [Finding] = []
        if status.versionNumber < oldest {
            findings.append(.problem(area, "PostgreSQL \(status.version) is too old, expected 13 or later"))
        } else {
            findings.append(.ok(area, "PostgreSQL \(status.version) accepts writes"))
        }
        if let version = status.schemaVersion {
            let runners = status.runners.count
            findings.append(
                .ok(
                    area,
                    "the schema '\(status.schema)' has version \(version); \(runners) runners of '\(status.group)' run"
                )
            )
        } else if status.makesSchema {
            findings.append(.ok(area, "the schema '\(status.schema)' is missing; the first runner makes it"))
        } else {
            findings.append(
                .problem(area, "the schema '\(status.schema)' is missing", help: "run 'corewire store migrate'")
            )
        }
        if status.needsReplica, status.synchronousStandbys.isEmpty {
            findings.append(
                .problem(
                    area,
                    "the server has no synchronous standby, which 'confirm: replica' requires",
                    help: "set 'synchronous_standby_names' in the server"
                )
            )
        }
        if let age = status.oldestTransaction, age > .seconds(600) {
            findings.append(
                .warning(
                    area,
                    "a transaction has been open for \(age.components.seconds / 60) minutes, which makes claims slow",
                    help: "end it: see pg_stat_activity"
                )
            )
        }
        return findings
    }

    private static let oldest = 130_000
}
