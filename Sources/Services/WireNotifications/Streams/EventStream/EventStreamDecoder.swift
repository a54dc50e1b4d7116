import WireBase
import WireHTTP

/// Decodes server-sent events, and the positions that a server sets without an event.
struct EventStreamDecoder: StreamDecoder {
    enum Event: Sendable {
        case event(ServerSentEvent)
        /// The value of `Last-Event-ID` for the next connection; empty resets it.
        case position(String)
        /// An event beyond the limit was dropped.
        case tooLong
    }

    private var parser: EventStreamParser
    private var last: String

    init(after last: String?) {
        parser = EventStreamParser(limit: .mebibytes(1), after: last ?? "", skipsLarge: true)
        self.last = parser.lastEventID
    }

    var retry: Int? { parser.retry }

    mutating func consume(_ bytes: [UInt8]) throws -> [Event] {
        let skipped = parser.skipped
        var decoded = try decode(bytes)
        if parser.skipped > skipped { decoded.append(.tooLong) }
        return decoded
    }

    private mutating func decode(_ bytes: [UInt8]) throws -> [Event] {
        let events = try parser.consume(bytes)
        // The position of an event is stored together with it.
        for event in events { if let id = event.id, !id.isEmpty { last = id } }
        guard parser.lastEventID != last else { return events.map(Event.event) }
        last = parser.lastEventID
        return events.map(Event.event) + [.position(last)]
    }
}
