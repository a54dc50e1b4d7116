import WireMQTT

/// The messages of a session that the client has not acknowledged, in their order.
///
/// The id of a packet follows from the number of its message, so that a message keeps it even across restarts.
struct SessionQueue {
    struct Item: Sendable {
        let number: Int
        /// In milliseconds since 1970; nil for a message that does not expire.
        let expires: Int64?
        /// The message, where it is not on the store.
        let held: BrokerMessage?
        /// The bytes it takes in memory, apart from a few.
        let size: Int
        /// Whether it may have been sent before.
        var wasSent = false

        var id: UInt16 { SessionQueue.id(of: number) }

        /// Makes the item of a message on the store.
        init(stored number: Int, expires: Int64?, wasSent: Bool = false) {
            (self.number, self.expires, self.wasSent) = (number, expires, wasSent)
            (held, size) = (nil, 0)
        }

        init(held message: BrokerMessage, number: Int) {
            (self.number, expires, held, size) = (number, message.expires, message, message.size)
        }
    }

    private(set) var items: [Item] = []
    /// The number of items at the beginning that were sent on the present connection.
    private(set) var sent = 0
    private let held: HeldSize
    private var last = 0
    /// When the next item can expire.
    private var nextExpiry = Int64.max

    init(_ held: HeldSize) { self.held = held }

    /// Makes the queue of a stored session; messages that can have been sent are marked.
    init(stored entries: [(number: Int, expires: Int64?)], _ held: HeldSize) {
        self.held = held
        for (index, entry) in entries.enumerated() {
            add(Item(stored: entry.number, expires: entry.expires, wasSent: index < BrokerLimits.window))
        }
        last = entries.last?.number ?? 0
    }

    var isFull: Bool { !hasRoom(for: 1) }

    func hasRoom(for count: Int) -> Bool { items.count + count <= BrokerLimits.queued }

    static func id(of number: Int) -> UInt16 { UInt16((number - 1) % 65_535 + 1) }

    /// Takes the number of the next message; its packet id is not in use.
    mutating func takeNumber() -> Int {
        repeat { last = last == .max ? 1 : last + 1 } while items.contains { $0.id == Self.id(of: last) }
        return last
    }

    mutating func add(_ item: Item) {
        items.append(item)
        held.bytes += item.size
        nextExpiry = min(nextExpiry, item.expires ?? .max)
    }

    /// Removes and returns the expired messages, except those sent on this connection.
    mutating func removeExpired(at now: Int64) -> [Item] {
        guard nextExpiry <= now else { return [] }
        let waiting = items[sent...]
        let expired = waiting.filter { $0.expires ?? .max <= now }
        held.bytes -= expired.reduce(0) { $0 + $1.size }
        items.replaceSubrange(sent..., with: waiting.filter { $0.expires ?? .max > now })
        nextExpiry = items[sent...].compactMap(\.expires).min() ?? .max
        return expired
    }

    /// Returns the next message to send, unless so many are not acknowledged.
    mutating func next(upTo window: Int) -> Item? {
        guard sent < min(window, items.count) else { return nil }
        defer {
            items[sent].wasSent = true
            sent += 1
        }
        return items[sent]
    }

    /// Removes a message that was sent on this connection; nil where there is none with this id.
    mutating func acknowledge(_ id: UInt16) -> Item? {
        guard let index = items[..<sent].firstIndex(where: { $0.id == id }) else { return nil }
        return remove(at: index)
    }

    /// Removes a message that was taken with ``next(upTo:)`` but not sent.
    mutating func skip(_ item: Item) {
        guard let index = items[..<sent].firstIndex(where: { $0.number == item.number }) else { return }
        _ = remove(at: index)
    }

    private mutating func remove(at index: Int) -> Item {
        sent -= 1
        held.bytes -= items[index].size
        return items.remove(at: index)
    }

    /// Removes all messages, at the end of the session.
    mutating func removeAll() {
        held.bytes -= items.reduce(0) { $0 + $1.size }
        (items, sent) = ([], 0)
    }

    /// Begins with the first message again, on a new connection.
    mutating func restart() {
        sent = 0
        nextExpiry = items.compactMap(\.expires).min() ?? .max
    }
}

/// The size of all messages of a broker that are not on the store.
final class HeldSize {
    var bytes = 0
}
