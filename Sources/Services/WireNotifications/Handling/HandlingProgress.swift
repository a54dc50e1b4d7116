import WireConfig
import WireHTTP
import WireNotificationContract

/// The progress of a notification that is not handled completely.
struct HandlingProgress: JSONRecord {
    var records: [HandlerRecord] = []
    /// Whether the delivery was reported to its server.
    var isDelivered = false
    /// Whether showing it was decided and done.
    var isPresented = false
    /// Why it was not shown; nil where it was.
    var suppression: String?
    /// The interruptions of handlers since their records, by name.
    var interrupted: [String: Int] = [:]
    /// The number of turns that achieved something, or ended in good order.
    var turns = 0

    init() {}

    subscript(name: String) -> HandlerRecord? {
        get { records.first { $0.name == name } }
        set {
            records.removeAll { $0.name == name }
            interrupted[name] = nil
            if let newValue { records.append(newValue) }
        }
    }

    init?(_ bytes: [UInt8]) {
        guard let progress = try? Self(parsing: bytes, named: "progress", toleratesUnknown: true) else { return nil }
        self = progress
    }
}

extension HandlingProgress {
    static let form = JSONForm<Self>("HandlingProgress", "The progress of a notification.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        records = try members.readable("handlers", \.records, "The results of handlers.")
        isDelivered = try members.value("delivered", \.isDelivered, "Whether the delivery was reported.", or: false)
        isPresented = try members.value("presented", \.isPresented, "Whether showing it is done.", or: false)
        suppression = try members.optional("suppressed", \.suppression, "Why it was not shown.")
        turns = try members.value("turns", \.turns, "The number of completed turns.", or: 0)
        let cutOff = try members.optional("interrupted", \.cutOff, "The number of interruptions by handler.")
        interrupted = cutOff?.dictionary ?? [:]
    }

    private var cutOff: JSONMap<Int>? { interrupted.isEmpty ? nil : JSONMap(interrupted) }
}
