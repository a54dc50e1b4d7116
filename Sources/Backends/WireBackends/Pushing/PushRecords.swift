import WireBase
import WireConfig
import WireSecrets
import WireStore

/// What the push servers keep, in the store of the group: apart by app and environment, and sealed.
struct PushRecords: Sendable {
    private let store: any KeyValueStore
    private let prefix: String

    enum Shelf: String, Sendable {
        /// The application's id and master secret, and the numbers of the queue.
        case account
        /// The queue of what devices have not been told.
        case queue
        /// UnifiedPush: installations by variant and token, and the messages sent.
        case installations, messages
        /// UnifiedPush: what administrators have made.
        case applications, variants
        /// Altcraft: profiles, which of them know a token, requests answered, messages sent, events.
        case profiles, subscribers, requests, mailings, events
        /// Health Cloud: registrations by registrar and token, and the messages sent.
        case registrations, notes
        /// HALO: schedules, and what became of them on devices.
        case schedules, activity

        /// How many of them are kept.
        var limit: Int {
            switch self {
            case .account: 16
            case .applications: 100
            case .queue: 100_000
            case .installations, .profiles, .registrations: 50_000
            case .subscribers: 100_000
            case .requests, .events, .activity: 10_000
            case .messages, .mailings, .notes, .schedules, .variants: 1_000
            }
        }

        /// Whether the oldest make room; where not, there is no room for more.
        var forgets: Bool {
            switch self {
            case .account, .applications, .variants, .installations, .profiles, .registrations, .subscribers: false
            default: true
            }
        }
    }

    init(_ store: any KeyValueStore, app: String, environment: String) {
        self.store = store
        prefix = "corewire/backends/\(app)/\(environment)/push/"
    }

    // MARK: Reading

    func find(_ id: String, on shelf: Shelf) throws(StoreFailure) -> JSONValue? {
        do throws(StoreFailure) {
            guard let entry = try store.entry(id, in: prefix + shelf.rawValue) else { return nil }
            return try? JSONValue(parsing: entry.bytes, named: "record")
        } catch {
            if error.kind == .sealed { return nil }
            throw error
        }
    }

    /// The keys of a shelf after one, in their order.
    func keys(on shelf: Shelf, prefix start: String = "", after: String? = nil, limit: Int) throws(StoreFailure)
        -> [String]
    {
        try store.list(prefix + shelf.rawValue, prefix: start, after: after, limit: limit).map(\.key)
    }

    /// Every record of a shelf in the order of the keys; what cannot be opened any more is left out.
    func each(
        on shelf: Shelf,
        prefix start: String = "",
        _ body: (_ key: String, _ json: JSONValue) throws -> Void
    ) throws {
        var last: String?
        while true {
            let page = try keys(on: shelf, prefix: start, after: last, limit: 1_000)
            for key in page {
                if let json = try find(key, on: shelf) { try body(key, json) }
            }
            guard let next = page.last else { return }
            last = next
        }
    }

    func all(on shelf: Shelf, prefix start: String = "") throws -> [JSONValue] {
        var found: [JSONValue] = []
        try each(on: shelf, prefix: start) { _, json in found.append(json) }
        return found
    }

    func count(on shelf: Shelf) throws(StoreFailure) -> Int {
        try store.usage(of: prefix + shelf.rawValue).entries
    }

    // MARK: Writing

    /// Returns when it is durable, with how many of the oldest made room for it.
    @discardableResult
    func put(_ json: JSONValue, _ id: String, on shelf: Shelf, upTo limit: Int? = nil, lifetime: Duration? = nil)
        async throws(StoreFailure) -> Int
    {
        let value = NewValue(
            Array(json.text().utf8),
            type: "application/json",
            lifetime: lifetime,
            isSealed: true,
            room: StoreRoom(entries: limit ?? shelf.limit, removesOldest: shelf.forgets)
        )
        return try await store.put(value, under: id, in: prefix + shelf.rawValue, if: .always).removed
    }

    @discardableResult
    func remove(_ id: String, on shelf: Shelf) async throws(StoreFailure) -> Bool {
        try await store.remove(id, in: prefix + shelf.rawValue, if: .always)
    }
}

extension Sequence where Self: Sendable, Element: Sendable {
    /// Does something for each of them, many at a time, so that a disk that confirms many at once is not kept waiting.
    func together(_ work: @escaping @Sendable (Element) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for element in self {
                if running == 128 {
                    _ = try await group.next()
                    running -= 1
                }
                group.addTask { try await work(element) }
                running += 1
            }
            try await group.waitForAll()
        }
    }
}

extension Machine {
    /// A name nobody else has (RFC 9562, version 4).
    func uuid() throws -> String {
        var bytes = try secrecy.random(16)
        guard bytes.count == 16 else { return try secret(16) }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Array(Hexadecimal.text(of: bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// A short name for what is too long, or too odd, to be a key.
    func key(_ text: String) throws -> String { String(try digest(text).prefix(32)) }
}
