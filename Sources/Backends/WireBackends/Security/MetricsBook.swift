import WireBase
import WireConfig
import WireService
import WireStore

/// The messages the metrics service has taken, in the order they came; of more than a thousand the oldest go.
final class MetricsBook: Sendable {
    private let records: SecurityRecords
    private let clock: Clockwork
    private let line = Turnstile()

    init(_ records: SecurityRecords, _ clock: Clockwork) { (self.records, self.clock) = (records, clock) }

    static let limit = SecurityShelf.metrics.limit

    /// Writes a message down, where it is one.
    func take(_ body: [UInt8]) async throws {
        guard let message = try? JSONValue(parsing: body, named: "message") else {
            throw SecurityRefusal.metrics(MetricsRules.unreadable)
        }
        if let objection = MetricsRules.objection(to: message) { throw SecurityRefusal.metrics(objection) }
        try await line.alone {
            let number = (try last() ?? 0) + 1
            let record = JSONValue.members([
                "number": .integer(number), "at": .integer(Int(clock.wall())), "message": message,
            ])
            try await records.put(record, Self.key(number), on: .metrics)
        }
    }

    /// What has come after a number, the oldest first.
    func list(after number: Int, limit: Int) throws -> [JSONValue] {
        try records.keys(on: .metrics, after: Self.key(number), limit: limit).compactMap {
            try records.find($0, on: .metrics)
        }
    }

    private func last() throws -> Int? {
        try records.keys(on: .metrics, limit: Self.limit).last.flatMap { Int($0) }
    }

    /// Numbers in the order of their texts.
    private static func key(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 19 - digits.utf8.count)) + digits
    }
}
