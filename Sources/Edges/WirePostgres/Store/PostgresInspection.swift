package import WireStore

/// Looks at the server of a shared store, without joining the group.
package struct PostgresInspection: Sendable {
    package struct Runner: Sendable {
        package let id: Int64
        package let machine: String
        package let lease: Duration
    }

    package struct Found: Sendable {
        package let version: String
        /// The version of the schema; nil where it is missing.
        package let schemaVersion: Int?
        package let synchronousStandbys: String
        package let runners: [Runner]
    }

    private let client: PostgresClient
    private let functions: StoreFunctions
    private let group: String

    package init(_ client: PostgresClient, schema: String, of group: String) {
        (self.client, self.group) = (client, group)
        functions = StoreFunctions(schema: schema)
    }

    package func read(within limit: Duration) async throws(StoreFailure) -> Found {
        do throws(PostgresFailure) {
            let settings = PostgresStatement(
                """
                SELECT current_setting('server_version'), current_setting('synchronous_standby_names'),
                    to_regclass($1) IS NOT NULL
                """,
                [.text("\(functions.schema).meta")]
            )
            guard let row = try await client.rows(settings, on: .writer, within: limit).first else {
                throw PostgresFailure(.malformed, "the server has answered nothing")
            }
            guard try row.bool(2) else {
                return Found(
                    version: try row.text(0),
                    schemaVersion: nil,
                    synchronousStandbys: try row.text(1),
                    runners: []
                )
            }
            let results = try await client.carryOut(
                [functions.call("schema_1"), functions.call("members_1", [.name(group)])],
                on: .writer,
                within: limit
            )
            var runners: [Runner] = []
            for member in results[1] {
                runners.append(
                    Runner(id: try member.integer(0), machine: try member.name(1), lease: try member.duration(4))
                )
            }
            return Found(
                version: try row.text(0),
                schemaVersion: try results[0].first?.int(0),
                synchronousStandbys: try row.text(1),
                runners: runners
            )
        } catch {
            throw StoreFailure(error)
        }
    }
}
