package import WireBase
import WireConfig
import WireCrypto
package import WireHost
import WirePersistence
import WirePostgres
import WireRuntime
import WireStore
import WireTransfer

/// The database of a services file, for commands that do not run its services.
package struct GroupDatabase: Sendable {
    private let settings: SharedStore
    private let group: String
    private let connection: PostgresSettings

    /// The database of a file; nil where it declares none.
    package static func declared(
        by options: RunOptions,
        owner: Owner? = nil,
        environment: Environment
    ) throws(StartFailure) -> GroupDatabase? {
        let source = FileCandidateSource(
            path: options.file,
            overrides: options.overrides,
            services: options.services,
            secrecy: OpenSSLSecrecy(),
            clock: .host
        )
        let file = try Assembly.candidate(source, options.environment)
        guard let settings = file.configuration[PersistenceSection.self]?.store else { return nil }
        do throws(StoreFailure) {
            var connection = try GroupStore.connection(settings, beside: Assembly.folder(of: options.file), environment)
            if let owner { (connection.user, connection.password) = (owner.user, owner.password) }
            return GroupDatabase(settings: settings, group: file.app?.group?.text ?? "", connection: connection)
        } catch {
            throw StartFailure(.state, error.reason, help: error.help)
        }
    }

    /// A user that may create schemas, instead of that of the file.
    package struct Owner: Sendable {
        package let user: String
        package let password: Secret<String>?

        package init(user: String, password: Secret<String>?) {
            (self.user, self.password) = (user, password)
        }
    }

    /// What a migration has done.
    package struct Migrated: Sendable {
        package let schema: String
        /// Whether the schema was missing.
        package let isNew: Bool
        /// The role that may call its functions.
        package let role: String?
    }

    /// Makes the tables and functions where they are missing, and lets the user of the file call them.
    package func migrate() async throws(StartFailure) -> Migrated {
        try await asking { client throws(StoreFailure) in
            let user = settings.url.user
            // The owner may call them anyway.
            let role = user == connection.user ? nil : user
            let migration = try PostgresMigration(schema: settings.schema.text, role: role)
            let isNew = try await migration.run(client, within: settings.connectTimeout)
            return Migrated(schema: settings.schema.text, isNew: isNew, role: role)
        }
    }

    /// What is known of the server and of the group.
    package struct Status: Sendable {
        package struct Runner: Sendable {
            package let id: Int64
            package let machine: String
            package let lease: Duration
        }

        /// As text, and as a number: 150018 for 15.18.
        package let version: String
        package let versionNumber: Int
        package let schema: String
        /// Nil where the schema is missing.
        package let schemaVersion: Int?
        /// As the server names them; empty where it has none.
        package let synchronousStandbys: String
        /// How long a transaction has been open; nil where the user may not see it.
        package let oldestTransaction: Duration?
        /// Whether the file demands a synchronous standby, and has the schema made.
        package let needsReplica, makesSchema: Bool
        package let group: String
        package let runners: [Runner]

        package var isReady: Bool { schemaVersion != nil }
    }

    package func status() async throws(StartFailure) -> Status {
        try await asking { client throws(StoreFailure) in
            let found = try await PostgresInspection(client, schema: settings.schema.text, of: group)
                .read(within: settings.connectTimeout)
            return Status(
                version: found.version,
                versionNumber: found.versionNumber,
                schema: settings.schema.text,
                schemaVersion: found.schemaVersion,
                synchronousStandbys: found.synchronousStandbys,
                oldestTransaction: found.oldestTransaction,
                needsReplica: settings.confirm == .replica,
                makesSchema: settings.migrate == .automatic,
                group: group,
                runners: found.runners.map { Status.Runner(id: $0.id, machine: $0.machine, lease: $0.lease) }
            )
        }
    }

    private func asking<Answer>(
        _ work: (PostgresClient) async throws(StoreFailure) -> Answer
    ) async throws(StartFailure) -> Answer {
        let client: PostgresClient
        do throws(PostgresFailure) { client = try PostgresClient(connection) } catch {
            throw StartFailure(.host, error.reason)
        }
        do throws(StoreFailure) {
            let answer = try await work(client)
            await client.close()
            return answer
        } catch {
            await client.close()
            throw StartFailure(error.kind == .away ? .away : .state, error.reason, help: error.help)
        }
    }
}
