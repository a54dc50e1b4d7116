import Corewire
import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireService
import WireStore

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
            let facts = try await database.facts()
            return findings(database, facts)
        } catch {
            return [.problem(area, error.reason, help: error.help)]
        }
    }

    /// What is found, and the differences that `validate-config --online` reports too.
    private static func findings(_ database: GroupDatabase, _ facts: DatabaseFacts) -> [Finding] {
        // What the differences are about is not right.
        var findings: [Finding] = []
        if !facts.isTooOld { findings.append(.ok(area, "PostgreSQL \(facts.version) accepts writes")) }
        if let content = facts.schema?.content {
            if !content.needsLaterProgram {
                findings.append(.ok(area, "the schema \(database.schema.quoted) has version \(content.version)"))
            }
            let count = content.runners.count
            findings.append(.ok(area, "\(count) runner\(count == 1 ? "" : "s") of \(database.group.quoted)"))
        }
        return findings
            + database.findings(facts).map { finding in
                let help = finding.help.map { $0.text(in: .yaml) }.first
                return switch finding.code.severity {
                case .error: .problem(area, finding.message, help: help)
                case .warning: .warning(area, finding.message, help: help)
                case .note: .ok(area, finding.message)
                }
            }
    }
}
