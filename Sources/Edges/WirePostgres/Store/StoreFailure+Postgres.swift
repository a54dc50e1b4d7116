package import WireStore

extension StoreFailure {
    /// Converts a failure of the client to one of the store.
    init(_ failure: PostgresFailure) {
        switch failure.kind {
        case .away, .unanswered:
            self.init(.away, "the database cannot be reached: \(failure.reason)")
        case .refused(let state):
            self.init(
                .away,
                "the database refuses the connection: \(failure.reason)",
                help: Self.help(forRefusal: state)
            )
        case .cancelled: self.init(.cancelled, failure.reason)
        case .unusable: self.init(.closed, failure.reason)
        case .malformed: self.init(.other, failure.reason)
        case .rejected(let state): self.init(state: state, failure.reason)
        }
    }

    /// Converts an error of the server by its code.
    private init(state: String, _ reason: String) {
        switch state {
        case "53100":
            self.init(.full, "the disk of the database's server is full", help: "free disk space there")
        case "XX001", "XX002": self.init(.corrupt, "the database is damaged: \(reason)")
        case "3F000", "42883", "42P01":
            self.init(
                .foreign,
                "the database does not have the functions of this version: \(reason)",
                help: "run 'corewire store migrate'"
            )
        case "42501":
            self.init(
                .foreign,
                "the database does not allow this: \(reason)",
                help: "run 'corewire store migrate --as' with the owner of its tables"
            )
        case "26000":
            // As long as a pooler resets sessions of running connections.
            let help = StoreFailure.noSessions.help
            self.init(.away, "the database does not keep the session of a connection: \(reason)", help: help)
        case "57014", "55P03": self.init(.busy, "the database did not answer in time: \(reason)")
        default: self.init(.other, "the database rejected a request: \(reason) (\(state))")
        }
    }

    private static func help(forRefusal state: String) -> String {
        switch state {
        case "28P01": "set 'persistence.store.password' to the password of the user in 'persistence.store.url'"
        case "3D000": "create the database, or correct its name in 'persistence.store.url'"
        case "42501": "run 'GRANT CONNECT ON DATABASE' for the user in 'persistence.store.url'"
        default:
            "allow the user of 'persistence.store.url' in the server's 'pg_hba.conf', and make it a role with LOGIN"
        }
    }

    static let silent = StoreFailure(
        .away,
        "the database cannot be reached, and other runners may work on what is claimed"
    )

    package static let noReplica = StoreFailure(
        .refused,
        "the database has no synchronous standby, which 'confirm: replica' requires",
        help: "set 'synchronous_standby_names' in the server"
    )

    static let otherKey = StoreFailure(
        .sealed,
        "the group's data is sealed with another key",
        help: "give all runners of a group the same 'persistence.key'"
    )

    static func unexpected(_ what: String) -> StoreFailure {
        StoreFailure(.other, "the database answered otherwise than expected: \(what)")
    }
}

extension PostgresClient {
    /// Waits for a connection; servers that refuse this client are not waited for, since only an operator can change that.
    package func connect(within limit: Duration) async throws(StoreFailure) {
        do throws(PostgresFailure) {
            _ = try await rows(PostgresStatement("SELECT 1"), on: .writer, within: limit)
        } catch {
            let failure = StoreFailure(error)
            guard case .refused = error.kind else { throw failure }
            throw StoreFailure(.refused, failure.reason, help: failure.help)
        }
    }

    /// Refuses a pooler that gives the connections no sessions of their own.
    package func requireSessions(within limit: Duration) async throws(StoreFailure) {
        let hasSessions: Bool
        do throws(PostgresFailure) { hasSessions = try await self.hasSessions(within: limit) } catch {
            throw StoreFailure(error)
        }
        guard hasSessions else { throw .noSessions }
    }
}

/// Returns the result of a body whose failures are the client's.
func storing<Answer>(_ body: () throws(PostgresFailure) -> Answer) throws(StoreFailure) -> Answer {
    do throws(PostgresFailure) { return try body() } catch { throw StoreFailure(error) }
}
