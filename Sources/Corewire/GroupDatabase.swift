package import WireBase
import WireCrypto
package import WireHost
import WirePersistence
import WirePostgres
import WireRuntime
package import WireService
package import WireStore
import WireTransfer

/// The database of a services file, for commands that do not run its services.
package struct GroupDatabase: Sendable {
    private let declared: DeclaredDatabase
    private let connection: PostgresSettings
    private let limit: Duration

    var settings: SharedStore { declared.store }

    private init(
        _ declared: DeclaredDatabase,
        beside folder: String,
        owner: Owner? = nil,
        within limit: Duration,
        _ environment: Environment
    ) throws(StartFailure) {
        do throws(StoreFailure) {
            var connection = try GroupStore.connection(declared.store, beside: folder, environment)
            if let owner { (connection.user, connection.password) = (owner.user, owner.password) }
            (self.declared, self.connection, self.limit) = (declared, connection, limit)
        } catch {
            throw StartFailure(.state, error.reason, help: error.help)
        }
    }

    /// The database of a file; nil where it declares none.
    package static func declared(
        by options: RunOptions,
        owner: Owner? = nil,
        environment: Environment
    ) throws(StartFailure) -> GroupDatabase? {
        let candidate = try Assembly.candidate(of: options)
        return try declared(by: candidate, beside: Assembly.folder(of: options.file), owner: owner, environment)
    }

    static func declared(
        by candidate: Candidate,
        beside folder: String,
        owner: Owner? = nil,
        _ environment: Environment
    ) throws(StartFailure) -> GroupDatabase? {
        guard let declared = DeclaredDatabase(candidate.configuration) else { return nil }
        let limit = declared.store.connectTimeout
        return try GroupDatabase(declared, beside: folder, owner: owner, within: limit, environment)
    }

    /// The inspection of databases for online checks, each within a limit of its own.
    package static func inspection(
        beside file: String,
        _ environment: Environment,
        within limit: @escaping @Sendable () -> Duration
    ) -> OfferedAbility {
        let inspection = Inspection(folder: Assembly.folder(of: file), environment: environment, limit: limit)
        return Ability.databaseInspection.offered(by: inspection)
    }

    private struct Inspection: DatabaseInspecting {
        let folder: String
        let environment: Environment
        let limit: @Sendable () -> Duration

        func facts(of declared: DeclaredDatabase) async throws(Fault) -> DatabaseFacts {
            do throws(StartFailure) {
                return try await GroupDatabase(declared, beside: folder, within: limit(), environment).facts()
            } catch {
                throw Fault(error.reason, help: error.help)
            }
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
        /// Whether the schema was missing, or some of its functions.
        package let isNew: Bool
        package let lackedFunctions: Bool
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
            let made = try await migration.run(client, within: limit)
            return Migrated(
                schema: settings.schema.text,
                isNew: made == .schema,
                lackedFunctions: made == .functions,
                role: role
            )
        }
    }

    /// The schema, and the group in it.
    package var schema: String { settings.schema.text }
    package var group: String { declared.group }
    /// The user of the connection.
    package var user: String { connection.user }

    package func facts() async throws(StartFailure) -> DatabaseFacts {
        try await asking(needsSessions: false) { client throws(StoreFailure) in
            // Only a key of the right form can be that of the group.
            let keys = declared.keys.compactMap { try? StoreKeys.key($0, "key").id }
            return try await PostgresInspection(
                client,
                schema: schema,
                of: group,
                keyChecks: keys.count == declared.keys.count ? keys : []
            ).read(within: limit)
        }
    }

    /// The differences between the file and its database.
    package func findings(_ facts: DatabaseFacts) -> [OnlineFinding] { declared.findings(facts) }

    /// Carries out work that needs sessions, unless it asks for them itself.
    func asking<Answer>(
        needsSessions: Bool = true,
        _ work: (PostgresClient) async throws(StoreFailure) -> Answer
    ) async throws(StartFailure) -> Answer {
        let client: PostgresClient
        do throws(PostgresFailure) { client = try PostgresClient(connection) } catch {
            throw StartFailure(.host, error.reason)
        }
        var isConnected = false
        do throws(StoreFailure) {
            try await client.connect(within: limit)
            isConnected = true
            if needsSessions { try await client.requireSessions(within: limit) }
            let answer = try await work(client)
            await client.close()
            return answer
        } catch {
            await client.close()
            var failure = StartFailure(of: error)
            // That help is about the user of the file.
            if !isConnected, error.kind == .refused, connection.user != settings.url.user { failure.help = nil }
            throw failure
        }
    }
}

extension StartFailure {
    /// A store that a command uses beside its runners fails.
    init(of failure: StoreFailure) {
        let kind: Kind =
            switch failure.kind {
            case .away: .away
            case .busy: .taken
            default: .state
            }
        self.init(kind, failure.reason, help: failure.help)
    }
}
