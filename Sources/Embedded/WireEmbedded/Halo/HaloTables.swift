/// The records of a HALO server.
typealias HaloRecords = BackendRecords<HaloTables>

enum HaloTables: String, RecordTable {
    case modules, instances, devices, users

    var path: String { "halo/\(rawValue)" }

    var limit: Int {
        switch self {
        case .modules: 1_000
        case .instances: 50_000
        case .devices, .users: 10_000
        }
    }

    var forgets: Bool { false }
}
