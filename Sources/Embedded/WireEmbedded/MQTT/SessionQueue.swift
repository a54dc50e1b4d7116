import WireMQTT

/// The messages of a session that the client has not acknowledged, in their order.
///
/// The id of a packet follows from the number of its message, so that a message keeps it even across restarts.
struct SessionQueue: Sendable {
    struct Item: Sendable {
        let number: Int
        /// The message, where it is not on the store.
        var held: BrokerMessage?
        /// Whether it may have been sent before.
        var wasSent = false

        var id: UInt16 { SessionQueue.id(of: number) }
        /// The bytes it takes in memory, apart from a few.
        var size: Int { held?.content.payload.count ?? 0 }
    }

    private(set) var items: [Item] = []
    /// The number of items at the beginning that were sent on the present connection.
    private(set) var sent = 0
    private var last = 0

    /// Makes the queue of a stored session; messages that can have been sent are marked.
    init(stored numbers: [Int] = []) {
        items = numbers.enumerated().map { index, number in Item(number: number, wasSent: index < BrokerLimits.window) }
        last = numbers.last ?? 0
    }

    var isFull: Bool { items.count >= BrokerLimits.queued }
    var size: Int { items.reduce(0) { $0 + $1.size } }

    static func id(of number: Int) -> UInt16 { UInt16((number - 1) % 65_535 + 1) }

    /// Takes the number of the next message.
    mutating func takeNumber() -> Int {
        last = last == .max ? 1 : last + 1
        return last
    }

    mutating func add(_ item: Item) { items.append(item) }

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
        sent -= 1
        return items.remove(at: index)
    }

    /// Begins with the first message again, on a new connection.
    mutating func restart() { sent = 0 }
}
