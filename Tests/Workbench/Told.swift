import Synchronization
import WireBase
package import WireService
package import WireTelemetry

/// What a service says of itself, and what it writes to the log, each in its order.
package final class Told: Sendable, LogSink {
    private let reports = Mutex<[String]>([])
    private let lines = Mutex<[String]>([])

    package init() {}

    package func add(_ report: ServiceReport) {
        let text =
            switch report {
            case .well: "well"
            case .degraded(let fault): "degraded: \(fault.reason)"
            case .failed(let fault): "failed: \(fault.reason)"
            case .inert(let reason): "inert: \(reason)"
            case .waiting(let reason): "waiting: \(reason)"
            }
        reports.withLock { $0.append(text) }
    }

    package func write(_ record: LogRecord) {
        lines.withLock { $0.append("\(record.message) \(record.fields.map { "\($0.name)=\($0.value)" })") }
    }

    package var all: [String] { reports.withLock { $0 } }
    package var log: [String] { lines.withLock { $0 } }
}
