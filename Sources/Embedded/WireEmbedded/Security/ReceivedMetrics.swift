import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireMetricsContract
import WireStore

/// The messages of the metrics service, in the order of arrival; of more than a thousand the oldest are deleted.
final class ReceivedMetrics: Sendable {
    private let records: SecurityRecords
    private let clock: TimeSource
    private let line = AsyncMutex()

    init(_ records: SecurityRecords, _ clock: TimeSource) { (self.records, self.clock) = (records, clock) }

    /// Stores a message if it is valid.
    func receive(_ body: [UInt8]) async throws {
        guard let message = try? JSONValue(parsing: body, named: "message") else {
            throw EmbeddedError.metrics(MetricsRules.unreadable)
        }
        if let objection = MetricsRules.objection(to: message) { throw EmbeddedError.metrics(objection) }
        try await line.alone {
            let number = (try await last() ?? 0) + 1
            try await records.put(
                BackendMetric(number, at: clock.wall(), message).json,
                NumberedKey.text(of: number),
                on: .metrics
            )
        }
    }

    /// Returns the messages after a number, the oldest first.
    func list(after number: Int, limit: Int) async throws -> [BackendMetric] {
        let keys = try await records.keys(on: .metrics, after: NumberedKey.text(of: number), limit: limit)
        return try await keys.asyncCompactMap { key in
            guard let kept = try await records.find(key, on: .metrics) else { return nil }
            return try? BackendMetric(parsing: kept.bytes(), named: "message", toleratesUnknown: true)
        }
    }

    private func last() async throws -> Int? {
        try await records.keys(on: .metrics, limit: SecurityTables.metrics.limit).last.flatMap { Int($0) }
    }
}
