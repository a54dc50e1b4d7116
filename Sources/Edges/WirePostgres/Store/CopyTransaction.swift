import WireBase
import WireStore

/// A transaction of several calls, for an export or an import; it ends with the connection at the latest.
///
/// A broken connection is replaced by another one, in which the functions refuse the token.
struct CopyTransaction: Sendable {
    let client: PostgresClient
    let functions: StoreFunctions
    private let token = String(UInt64.random(in: 0 ... .max), radix: 36)

    init(_ client: PostgresClient, schema: String) {
        self.client = client
        functions = StoreFunctions(schema: schema)
    }

    /// Begins the transaction with the first call.
    func begin(
        _ kind: String,
        _ name: StaticString,
        _ parameters: [PostgresParameter],
        within limit: Duration
    ) async throws(StoreFailure) -> [PostgresRow] {
        try await carryOut([PostgresStatement("BEGIN \(kind)"), call(name, parameters)], within: limit)[1]
    }

    func rows(_ name: StaticString, _ parameters: [PostgresParameter]) async throws(StoreFailure) -> [PostgresRow] {
        try await carryOut([call(name, parameters)], within: Self.patience)[0]
    }

    /// Commits after the last call.
    func commit(_ name: StaticString, _ parameters: [PostgresParameter]) async throws(StoreFailure) {
        _ = try await carryOut([call(name, parameters), PostgresStatement("COMMIT")], within: Self.patience)
    }

    /// Undoes what was not committed.
    func close() async {
        _ = try? await client.carryOut([PostgresStatement("ROLLBACK")], on: .writer, within: .seconds(2))
    }

    private func call(_ name: StaticString, _ parameters: [PostgresParameter]) -> PostgresStatement {
        functions.call(name, [.text(token)] + parameters)
    }

    private func carryOut(_ statements: [PostgresStatement], within limit: Duration) async throws(StoreFailure)
        -> [[PostgresRow]]
    {
        do throws(PostgresFailure) {
            return try await client.carryOut(statements, on: .writer, within: limit)
        } catch {
            // Another connection does not know the token.
            guard error.state != "CW003" else { throw StoreFailure(.away, error.reason) }
            throw StoreFailure(error)
        }
    }

    /// The time for some MiB, or for the sums of all rows.
    private static let patience = Duration.seconds(600)
}
