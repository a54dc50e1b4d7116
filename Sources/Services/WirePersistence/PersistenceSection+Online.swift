package import WireBase
package import WireConfig
package import WireService
package import WireStore

/// Asks the server of a database, without joining the group and without a change.
package protocol DatabaseInspecting: Sendable {
    func facts(of database: DeclaredDatabase) async throws(Fault) -> DatabaseFacts
}

extension Ability where Value == any DatabaseInspecting {
    package static var databaseInspection: Self { Self(Provision(.runner, "databaseInspection")) }
}

extension PersistenceSection: OnlineChecked {
    package static var isBesideEmbeddedServers: Bool { true }

    package var secretsOfChecks: Set<String> {
        $store.state == .absent ? [] : ["persistence.key", "persistence.previousKey", "persistence.store.password"]
    }

    /// The check of the database, where the file declares one.
    package func onlineChecks(in _: EnvironmentFacts, of configuration: Configuration) -> [OnlineCheck] {
        guard let database = DeclaredDatabase(configuration), database.isKnown else { return [] }
        let (place, path) = (database.store.$url, "persistence.store.url")
        return [
            OnlineCheck(at: place, about: path) { means in
                guard let inspection = means.offered[.databaseInspection] else { return [] }
                do throws(Fault) {
                    return database.findings(try await inspection.facts(of: database))
                } catch {
                    let help = error.help.map { Advice($0) }
                    return [.unreached(at: place, about: path, error.reason, isTrust: false, help: help)]
                }
            }
        ]
    }
}
