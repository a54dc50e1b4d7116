import WireConfig
import WireHTTP
import WireNotificationContract

/// How far a notification is that has not been handled to the end.
struct HandlingProgress: JSONRecord {
    var records: [HandlerRecord] = []
    /// Whether its server knows that it is here.
    var isDelivered = false
    /// Whether it was decided how it is shown, and that was done.
    var isPresented = false
    /// Why it was not shown; nil where it was.
    var suppression: String?
    /// How often handlers were begun and cut off since their records, by their names.
    var interrupted: [String: Int] = [:]
    /// How often it had been taken in hand when something was got done, or it was put back in good order.
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
    static let form = JSONForm<Self>("HandlingProgress", "How far a notification is.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        records = try members.readable("handlers", \.records, "What each handler came to.")
        isDelivered = try members.value("delivered", \.isDelivered, "Whether its server knows of it.", or: false)
        isPresented = try members.value("presented", \.isPresented, "Whether showing it is done.", or: false)
        suppression = try members.optional("suppressed", \.suppression, "Why it was not shown.")
        turns = try members.value("turns", \.turns, "How often it had been taken in hand.", or: 0)
        let cutOff = try members.optional("interrupted", \.cutOff, "How often handlers were cut off, by their names.")
        interrupted = cutOff?.dictionary ?? [:]
    }

    private var cutOff: JSONMap<Int>? { interrupted.isEmpty ? nil : JSONMap(interrupted) }
}
