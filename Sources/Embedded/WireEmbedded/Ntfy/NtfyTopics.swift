import WireBackends
import WireBase
import WireConfig
import WireService
import WireStore

/// The messages of an ntfy server by topic, in the order of publication.
///
/// Stored across restarts of the runner for twelve hours, as at a real server; of more than ten thousand the oldest are
/// deleted.
actor NtfyTopics {
    private let records: BackendRecords<NtfyTables>
    private let machine: SystemServices
    private let line = AsyncMutex()
    /// The number of the last message; nil until the first use.
    private var last: Int?

    /// Signals each published message.
    nonisolated let published = ChangeSignal()

    private static let lifetime = Duration.seconds(12 * 3_600)

    init(_ host: ServiceHost, _ machine: SystemServices) {
        records = BackendRecords(
            host.stores.device.values,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope
        )
        self.machine = machine
    }

    /// A message with its number.
    struct Numbered: Sendable {
        let number: Int
        let message: JSONValue
    }

    /// Publishes a message; returns it when it is on the disk.
    func publish(_ request: NtfyMessageRequest) async throws -> JSONValue {
        try await line.alone {
            let number = try await latest() + 1
            let message = JSONValue.object(
                [
                    ("id", .string(try id())), ("time", .integer(machine.seconds)),
                    ("expires", .integer(machine.seconds + 12 * 3_600)), ("event", .string("message")),
                    ("topic", .string(request.topic)),
                ] + request.members
            )
            try await records.put(message, NumberedKey.text(of: number), on: .messages, lifetime: Self.lifetime)
            last = number
            published.signal()
            return message
        }
    }

    /// An event of the server itself.
    nonisolated func event(_ name: String, _ topics: String) throws -> JSONValue {
        .members([
            "id": .string(try id()), "time": .integer(machine.seconds), "event": .string(name),
            "topic": .string(topics),
        ])
    }

    private nonisolated func id() throws(Fault) -> String {
        String(try machine.secret(24).filter { $0.isLetter || $0.isNumber }.prefix(12))
    }

    // MARK: Reading

    /// The number of the last message.
    func latest() async throws(StoreFailure) -> Int {
        if let last { return last }
        let found =
            try await records.keys(on: .messages, limit: NtfyTables.messages.limit + 1).last.flatMap { Int($0) } ?? 0
        last = found
        return found
    }

    /// The messages after a number, at most a thousand, whatever their topic.
    func messages(after number: Int) async throws(StoreFailure) -> [Numbered] {
        var found: [Numbered] = []
        for key in try await records.keys(on: .messages, after: NumberedKey.text(of: number), limit: 1_000) {
            guard let number = Int(key), let message = try await records.find(key, on: .messages) else { continue }
            found.append(Numbered(number: number, message: message))
        }
        return found
    }

    /// Deletes all messages; returns their number.
    func clear() async throws(StoreFailure) -> Int { try await records.clear(.messages) }
}

private enum NtfyTables: RecordTable {
    case messages

    var path: String { "ntfy" }
    var limit: Int { 10_000 }
    var forgets: Bool { true }
}
