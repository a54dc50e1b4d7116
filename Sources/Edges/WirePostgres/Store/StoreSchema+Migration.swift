import StoreSchema
package import WireStore

/// Makes the tables and functions of a shared store in a database.
package struct PostgresMigration: Sendable {
    /// The schema, and the role of the runners, which may call its functions; nil where it is the owner itself.
    package let schema: String
    package let role: String?

    package init(schema: String = "corewire", role: String? = nil) throws(StoreFailure) {
        for name in [schema, role].compactMap({ $0 }) where !Self.isPlain(name) {
            throw StoreFailure(
                .refused,
                "expected a name of a-z, 0-9 and _, up to 63 characters, found '\(name)'"
            )
        }
        (self.schema, self.role) = (schema, role)
    }

    private static func isPlain(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = name.utf8.first, letters.contains(first) || first == UInt8(ascii: "_") else { return false }
        return name.utf8.count <= 63
            && name.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// What a migration has made.
    package enum Made: Sendable, Equatable {
        case nothing
        /// The functions, of which some were missing: the schema is from an earlier program with the same tables.
        case functions
        case schema
    }

    /// Makes what is missing of the schema, and allows the role what it has to.
    @discardableResult
    package func run(_ client: PostgresClient, within limit: Duration = .seconds(60)) async throws(StoreFailure) -> Made
    {
        do throws(PostgresFailure) {
            let missing = try await missing(client, limit)
            if missing != .nothing {
                // Where another one makes it at the same time, this one finds it made.
                _ = try await client.carryOut(
                    [Self.lock(schema), PostgresStatement(block)],
                    on: .writer,
                    within: limit
                )
            }
            // Apart, since all statements of a transaction are prepared before the first is carried out.
            if !grants.isEmpty { _ = try await client.carryOut(grants, on: .writer, within: limit) }
            return missing
        } catch {
            throw StoreFailure(error)
        }
    }

    func runIfMissing(_ client: PostgresClient, within limit: Duration) async throws(StoreFailure) {
        do throws(PostgresFailure) {
            if try await isThere(client, limit) { return }
        } catch {
            throw StoreFailure(error)
        }
        try await run(client, within: limit)
    }

    private func isThere(_ client: PostgresClient, _ limit: Duration) async throws(PostgresFailure) -> Bool {
        let statement = PostgresStatement("SELECT to_regclass($1) IS NOT NULL", [.text("\(schema).meta")])
        return try await client.rows(statement, on: .writer, within: limit).first?.bool(0) ?? false
    }

    /// Reads catalogues only, since a role that may call the functions need not be the owner.
    private func missing(_ client: PostgresClient, _ limit: Duration) async throws(PostgresFailure) -> Made {
        guard try await isThere(client, limit) else { return .schema }
        let statement = PostgresStatement(
            """
            SELECT NOT EXISTS (
                SELECT FROM unnest(string_to_array($1, ' ')) AS f (name)
                WHERE NOT EXISTS (SELECT FROM pg_proc WHERE pronamespace = to_regnamespace($2) AND proname = f.name)
            )
            """,
            [.text(functionNames.joined(separator: " ")), .text(schema)]
        )
        return try await client.rows(statement, on: .writer, within: limit).first?.bool(0) ?? false
            ? .nothing : .functions
    }

    /// Two migrations at once would make everything twice, and one of two grants would fail.
    private static func lock(_ schema: String) -> PostgresStatement {
        PostgresStatement("SELECT pg_advisory_xact_lock(hashtext($1))", [.text("\(schema) schema")])
    }

    private static let creation = "CREATE FUNCTION corewire."

    private var functionNames: [Substring] {
        unsafe Self.text(store_functions()).split(separator: Self.creation, omittingEmptySubsequences: false)
            .dropFirst()
            .map { $0.prefix { $0 != "(" } }
    }

    private static func text(_ text: StoreSchemaText) -> String {
        let bytes = unsafe UnsafeBufferPointer(start: text.bytes, count: text.count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// The whole schema as one statement, since only one can be sent at once.
    ///
    /// Functions are replaced by ones that callers use in the same way: what they are called is their version.
    private var block: String {
        let tables = unsafe named(Self.text(store_tables()))
        let functions = unsafe named(
            Self.text(store_functions()).split(separator: Self.creation, omittingEmptySubsequences: false)
                .joined(separator: "CREATE OR REPLACE FUNCTION corewire.")
        )
        return """
            DO $outer$ BEGIN
                IF to_regclass('\(schema).meta') IS NULL THEN EXECUTE $body$\(tables)$body$; END IF;
                EXECUTE $body$\(functions)$body$;
            END $outer$
            """
    }

    private func named(_ sql: String) -> String {
        sql.split(separator: "corewire.", omittingEmptySubsequences: false).joined(separator: "\(schema).")
    }

    private var grants: [PostgresStatement] {
        guard let role else { return [] }
        return [Self.lock(schema), PostgresStatement("SELECT \(schema).grant_1($1)", [.text(role)])]
    }
}
