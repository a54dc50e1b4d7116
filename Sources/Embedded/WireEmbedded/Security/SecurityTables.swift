import WireBackendContract

/// The records of the metrics service and the mobile security service.
typealias SecurityRecords = BackendRecords<SecurityTables>

enum SecurityTables: String, RecordTable {
    /// Received messages, by their numbers.
    case metrics
    /// Apps by their ids, versions by app and name, devices by app and their own ids.
    case apps, versions, devices

    var path: String { "security/\(rawValue)" }

    var limit: Int {
        switch self {
        case .metrics: BackendMetricsRequest.most
        case .apps: 100
        case .versions: 10_000
        case .devices: 50_000
        }
    }

    var forgets: Bool { self == .metrics || self == .devices }
}
