/// Statements that are carried out in one transaction.
struct PostgresBatch: Sendable {
    typealias Outcome = Result<[[PostgresRow]], PostgresFailure>

    let ticket: Int
    let statements: [PostgresStatement]
    /// Whether it changes nothing, so that others may share its transaction.
    let isReading: Bool
    /// When it counts as late, also where its caller has left; of the monotonic clock.
    var due: UInt64
    /// Whether it was sent in a session that had been reset.
    var wasReset = false
    private var ended: (@Sendable (Outcome) -> Void)?

    /// Makes a batch; `ended` is called once, on the thread of the client.
    init(
        ticket: Int,
        _ statements: [PostgresStatement],
        isReading: Bool = false,
        due: UInt64,
        ended: @escaping @Sendable (Outcome) -> Void
    ) {
        (self.ticket, self.statements, self.isReading) = (ticket, statements, isReading)
        (self.due, self.ended) = (due, ended)
    }

    /// Whether its caller still waits.
    var isAwaited: Bool { ended != nil }

    /// Tells the caller, unless it has been told.
    mutating func end(_ outcome: Outcome) { ended.take()?(outcome) }

    /// The size of its parameters and texts.
    var size: Int {
        statements.reduce(0) { $0 + $1.parameters.reduce($1.text.utf8.count) { $0 + ($1.bytes?.count ?? 0) } }
    }

    /// Whether the library can take its statements: their number and size are limited.
    var isSendable: Bool { statements.allSatisfy { $0.parameters.count <= 65_535 } && size < 1 << 30 }
}
