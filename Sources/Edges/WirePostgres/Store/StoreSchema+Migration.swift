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

    /// Makes what is missing, in one transaction; returns whether that was anything.
    @discardableResult
    package func run(_ client: PostgresClient) async throws(StoreFailure) -> Bool {
        do throws(PostgresFailure) {
            let limit = Duration.seconds(60)
            // Two migrations at once would make everything twice.
            let lock = PostgresStatement("SELECT pg_advisory_xact_lock(hashtext($1))", [.text("\(schema) schema")])
            let isThere = PostgresStatement("SELECT to_regnamespace($1) IS NOT NULL", [.text(schema)])
            let rows = try await client.carryOut([lock, isThere], on: .writer, within: limit)
            guard try rows[1].first?.bool(0) == false else {
                try await grant(client, limit)
                return false
            }
            _ = try await client.carryOut([lock, PostgresStatement(block)] + grants, on: .writer, within: limit)
            return true
        } catch {
            throw StoreFailure(error)
        }
    }

    private func grant(_ client: PostgresClient, _ limit: Duration) async throws(PostgresFailure) {
        guard !grants.isEmpty else { return }
        _ = try await client.carryOut(grants, on: .writer, within: limit)
    }

    /// The whole schema as one statement, since only one can be sent at once.
    private var block: String {
        let text = unsafe store_schema()
        let bytes = unsafe UnsafeBufferPointer(start: text.bytes, count: text.count)
        let sql = unsafe String(decoding: bytes, as: UTF8.self)
        let named = sql.split(separator: "corewire.", omittingEmptySubsequences: false).joined(separator: "\(schema).")
        return "DO $outer$ BEGIN EXECUTE $body$\(named)$body$; END $outer$"
    }

    private var grants: [PostgresStatement] {
        guard let role else { return [] }
        return [PostgresStatement("SELECT \(schema).grant_1($1)", [.text(role)])]
    }
}
