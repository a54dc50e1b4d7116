import WireConfig

/// How far a notification is that has not been handled to the end.
struct HandlingProgress: Sendable {
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

    var bytes: [UInt8] { json.bytes() }

    var json: JSONValue {
        .members([
            "handlers": .array(records.map(\.json)), "delivered": .boolean(isDelivered),
            "presented": .boolean(isPresented), "suppressed": suppression.map(JSONValue.string),
            "turns": .integer(turns),
            "interrupted": interrupted.isEmpty
                ? nil : .object(interrupted.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }),
        ])
    }

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, named: "progress", limits: .notification) else { return nil }
        records = (json["handlers"]?.array ?? []).compactMap(HandlerRecord.init)
        isDelivered = json["delivered"]?.boolean ?? false
        isPresented = json["presented"]?.boolean ?? false
        suppression = json["suppressed"]?.string
        turns = json["turns"]?.integer ?? 0
        for member in json["interrupted"]?.members ?? [] { interrupted[member.key] = member.value.integer }
    }
}
