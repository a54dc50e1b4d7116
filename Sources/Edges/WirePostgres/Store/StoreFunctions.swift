import WireBase

/// The functions of the database's schema, which are all that a runner calls.
struct StoreFunctions: Sendable {
    /// The name of the schema.
    let schema: String

    func call(_ name: StaticString, _ parameters: [PostgresParameter] = []) -> PostgresStatement {
        let places = (1...max(1, parameters.count)).map { "$\($0)" }.joined(separator: ",")
        return PostgresStatement("SELECT * FROM \(schema).\(name)(\(parameters.isEmpty ? "" : places))", parameters)
    }
}

extension PostgresParameter {
    /// A name: its bytes, since a text of PostgreSQL has no NUL and an order of its own.
    static func name(_ text: String?) -> Self { .bytea(text.map { Array($0.utf8) }) }

    /// A duration of at most a century, so that no time overflows.
    static func milliseconds(_ duration: Duration?) -> Self {
        .int8(duration.map { min(max(0, $0.milliseconds), 3_155_760_000_000) })
    }

    static func integer(_ value: Int?) -> Self { .int8(value.map(Int64.init)) }
}

extension PostgresRow {
    /// A name as text; bytes that are no UTF-8 are replaced.
    func name(_ column: Int) throws(PostgresFailure) -> String { String(decoding: try bytes(column), as: UTF8.self) }

    func optionalName(_ column: Int) throws(PostgresFailure) -> String? {
        try optionalBytes(column).map { String(decoding: $0, as: UTF8.self) }
    }

    func int(_ column: Int) throws(PostgresFailure) -> Int { Int(try integer(column)) }

    func duration(_ column: Int) throws(PostgresFailure) -> Duration { .milliseconds(try integer(column)) }
}
