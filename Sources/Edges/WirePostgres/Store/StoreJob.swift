import WireBase
import WireConfig
import WireStore

/// What this runner is in its group.
struct Membership: Sendable {
    let runner: Int64
    let group: Int32
    /// The history of the server's log when the runner joined: another one after a failover.
    var timeline: String
    /// The last operation that the server has stored for the runner.
    var operation: Int64
}

/// One operation of a writing transaction, with its waiting caller.
struct StoreJob: Sendable {
    /// Which operations share a transaction: those that take their locks in one order.
    enum Kind: Sendable, Equatable { case values, additions, alone }

    typealias Statement = @Sendable (Membership, _ operation: Int64) -> PostgresStatement

    let kind: Kind
    /// The place among additions.
    var order: [UInt8] = []
    /// The bytes that it sends.
    var size = 0
    /// The call, which returns an answer that the server keeps.
    let statement: Statement
    /// When its caller is told that the database cannot be reached; of the monotonic clock.
    var due = Monotonic.never
    /// Rows that belong to the answer, which can be read again.
    var rows: Statement?
    /// Called with the answer before the next transaction.
    var delivered: (@Sendable (Membership, StoreAnswer) -> Void)?
    let ended: @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
}

/// The answer to an operation: a list, whose first item often says which.
struct StoreAnswer: Sendable {
    let items: [JSONValue]
    var rows: [PostgresRow] = []

    init(_ value: JSONValue, _ rows: [PostgresRow] = []) throws(StoreFailure) {
        guard let items = value.array else { throw .unexpected("an answer that is no list") }
        (self.items, self.rows) = (items, rows)
    }

    init(parsing text: [UInt8], _ rows: [PostgresRow]) throws(StoreFailure) {
        try self.init(try StoreAnswer.parsed(text), rows)
    }

    /// The answers that the server has kept for an operation.
    static func list(_ text: [UInt8]) throws(StoreFailure) -> [JSONValue] {
        guard let answers = try parsed(text).array else { throw .unexpected("answers that are no list") }
        return answers
    }

    private static func parsed(_ text: [UInt8]) throws(StoreFailure) -> JSONValue {
        do { return try JSONValue(parsing: text, named: "answer") } catch {
            throw .unexpected("an answer that is no JSON")
        }
    }

    /// The first item, where it is a text.
    var kind: String? { items.first?.string }

    func integer(_ index: Int) throws(StoreFailure) -> Int64 {
        guard let number = try optionalInteger(index) else { throw .unexpected("no number in an answer") }
        return number
    }

    func optionalInteger(_ index: Int) throws(StoreFailure) -> Int64? {
        guard items.indices.contains(index) else { throw .unexpected("an answer that is too short") }
        return items[index].integer.map(Int64.init)
    }

    func boolean(_ index: Int) throws(StoreFailure) -> Bool {
        guard items.indices.contains(index), let flag = items[index].boolean else {
            throw .unexpected("no truth value in an answer")
        }
        return flag
    }
}
