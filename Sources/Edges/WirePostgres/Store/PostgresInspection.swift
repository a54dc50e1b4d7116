package import WireStore

/// Looks at the server of a shared store, without joining the group.
package struct PostgresInspection: Sendable {
    private let client: PostgresClient
    private let functions: StoreFunctions
    private let group: String
    private let keyChecks: [[UInt8]]

    /// One of the keys, by their check values, should be that of the group.
    package init(_ client: PostgresClient, schema: String, of group: String, keyChecks: [[UInt8]]) {
        (self.client, self.group, self.keyChecks) = (client, group, keyChecks)
        functions = StoreFunctions(schema: schema)
    }

    package func read(within limit: Duration) async throws(StoreFailure) -> DatabaseFacts {
        do throws(PostgresFailure) {
            let hasSessions = try await client.hasSessions(within: limit)
            let statements = [PostgresStatement(query), PostgresStatement(Self.standbys), PostgresStatement(deadRows)]
            let results = try await client.carryOut(statements, on: .writer, within: limit)
            guard let row = results[0].first else {
                throw PostgresFailure(.malformed, "the server has answered nothing")
            }
            return DatabaseFacts(
                version: try row.text(0),
                versionNumber: try row.int(1),
                synchronousStandbys: try row.text(2),
                standbys: try results[1].map(DatabaseFacts.Standby.init),
                oldestTransaction: try row.optionalInteger(3).map { .milliseconds($0) },
                deadRows: try results[2].first.map { (row) throws(PostgresFailure) in
                    (table: try row.text(0), count: try row.int(1))
                },
                mayCreateSchemas: try row.bool(4),
                hasSessions: hasSessions,
                schema: hasSessions ? try await schema(row, within: limit) : nil
            )
        } catch {
            throw StoreFailure(error)
        }
    }

    /// Reads catalogues only, so that each user may ask.
    ///
    /// Has no parameters, since only a session keeps what is prepared.
    private var query: String {
        """
        SELECT current_setting('server_version'), current_setting('server_version_num')::int4,
            current_setting('synchronous_standby_names'),
            (SELECT (extract(epoch FROM max(clock_timestamp() - xact_start)) * 1000)::int8 FROM pg_stat_activity
                WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()),
            has_database_privilege(current_database(), 'CREATE'),
            meta.oid IS NOT NULL,
            coalesce(has_schema_privilege(place.oid, 'USAGE') AND (SELECT bool_and(has_function_privilege(oid, 'EXECUTE'))
                FROM pg_proc WHERE pronamespace = place.oid AND prosecdef), false),
            coalesce(has_schema_privilege(place.oid, 'CREATE') OR EXISTS (SELECT FROM pg_class
                WHERE relnamespace = place.oid AND relkind = 'r'
                    AND has_table_privilege(oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')), false)
        FROM (SELECT 1) AS one
            LEFT JOIN pg_namespace place ON place.nspname = '\(functions.schema)'
            LEFT JOIN pg_class meta ON meta.relnamespace = place.oid AND meta.relname = 'meta'
        """
    }

    /// The user sees the names of all, and the rest only with the rights of `pg_read_all_stats`.
    private static let standbys = """
        SELECT application_name, host(client_addr), state, sync_state,
            pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::int8, (extract(epoch FROM flush_lag) * 1000)::int8
        FROM pg_stat_replication ORDER BY application_name, pid LIMIT 100
        """

    /// What is known of the other rows is reltuples, also after a crash, which resets the counters.
    private var deadRows: String {
        """
        SELECT t.relname::text, t.n_dead_tup::int8 FROM pg_stat_all_tables t JOIN pg_class c ON c.oid = t.relid
        WHERE t.schemaname = '\(functions.schema)' AND t.n_dead_tup > c.reltuples ORDER BY t.n_dead_tup DESC LIMIT 1
        """
    }

    private func schema(_ row: PostgresRow, within limit: Duration) async throws(PostgresFailure)
        -> DatabaseFacts.SchemaFacts?
    {
        guard try row.bool(5) else { return nil }
        guard try row.bool(6) else { return DatabaseFacts.SchemaFacts(rights: .tooFew, content: nil) }
        let calls =
            [functions.call("schema_1"), functions.call("members_1", [.name(group)])]
            + keyChecks.map { functions.call("has_key_1", [.name(group), .bytea($0)]) }
        let results = try await client.carryOut(calls, on: .writer, within: limit)
        guard let version = results[0].first else { throw PostgresFailure(.malformed, "the schema has no version") }
        var keys: [Bool] = []
        for result in results.dropFirst(2) {
            // NULL where there is no such group.
            if let row = result.first, try row.optionalBytes(0) != nil { keys.append(try row.bool(0)) }
        }
        var runners: [GroupRunner] = []
        for member in results[1] { runners.append(try GroupRunner(member)) }
        return DatabaseFacts.SchemaFacts(
            rights: try row.bool(7) ? .more : .functions,
            content: DatabaseFacts.Content(
                version: try version.int(0),
                needsLaterProgram: try version.integer(1) > PostgresStore.program,
                hasKey: keys.isEmpty ? nil : keys.contains(true),
                runners: runners
            )
        )
    }
}

extension DatabaseFacts.Standby {
    fileprivate init(_ row: PostgresRow) throws(PostgresFailure) {
        let state = try row.optionalText(2)
        self.init(
            name: try row.text(0),
            address: try row.optionalText(1),
            progress: try state.map { (state) throws(PostgresFailure) in
                Progress(
                    state: state,
                    confirms: try row.text(3),
                    behind: try row.optionalInteger(4),
                    lag: try row.optionalInteger(5).map { .milliseconds($0) }
                )
            }
        )
    }
}
