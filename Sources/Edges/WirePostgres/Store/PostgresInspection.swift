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
        package let versionNumber: Int
        /// The version of the schema; nil where it is missing.
        package let schemaVersion: Int?
        package let synchronousStandbys: String
        package let oldestTransaction: Duration?
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
                    to_regclass($1) IS NOT NULL, current_setting('server_version_num')::int4,
                    (SELECT (extract(epoch FROM max(clock_timestamp() - xact_start)) * 1000)::int8 FROM pg_stat_activity
                        WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid())
                """,
                [.text("\(functions.schema).meta")]
            )
            guard let row = try await client.rows(settings, on: .writer, within: limit).first else {
                throw PostgresFailure(.malformed, "the server has answered nothing")
            }
            let (version, members) = try row.bool(2) ? try await schema(within: limit) : (nil, [])
            return Found(
                version: try row.text(0),
                versionNumber: try row.int(3),
                schemaVersion: version,
                synchronousStandbys: try row.text(1),
                oldestTransaction: try row.optionalInteger(4).map { .milliseconds($0) },
                runners: members
            )
        } catch {
            throw StoreFailure(error)
        }
    }

    private func schema(within limit: Duration) async throws(PostgresFailure) -> (version: Int?, runners: [Runner]) {
        let calls = [functions.call("schema_1"), functions.call("members_1", [.name(group)])]
        let results = try await client.carryOut(calls, on: .writer, within: limit)
        var runners: [Runner] = []
        for member in results[1] {
            runners.append(
                Runner(id: try member.integer(0), machine: try member.name(1), lease: try member.duration(4))
            )
        }
        return (try results[0].first?.int(0), runners)
    }
}
