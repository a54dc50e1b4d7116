import WireBase
import WireHTTP

/// Parses server-sent events incrementally (WHATWG HTML, section 9.2).
struct EventFrames {
    private var rest: [UInt8] = []
    private var event: String?
    private var data: [String] = []
    private let limit: ByteCount
    private var size = 0
    private var isFirst = true
    /// The id of the last event; ids may also come without an event.
    private(set) var lastID: String?

    /// Limits the size of an event.
    init(upTo limit: ByteCount = .mebibytes(8)) {
        self.limit = limit
    }

    /// The events that the bytes complete.
    mutating func consume(_ bytes: [UInt8]) throws(BodyTooLarge) -> [ServerSentEvent] {
        rest += bytes
        var events: [ServerSentEvent] = []
        var start = rest.startIndex
        while let end = rest[start...].firstIndex(where: { $0 == 0x0a || $0 == 0x0d }) {
            // Whether a line feed belongs to a carriage return is known with the next byte.
            if rest[end] == 0x0d, end + 1 == rest.endIndex { break }
            let line = String(decoding: rest[start..<end], as: UTF8.self)
            size += end - start
            guard size <= limit.bytes else { throw BodyTooLarge(limit: limit) }
            if let event = consume(line) { events.append(event) }
            start = rest[end] == 0x0d && rest[end + 1] == 0x0a ? end + 2 : end + 1
        }
        rest.removeFirst(start)
        guard size + rest.count <= limit.bytes else { throw BodyTooLarge(limit: limit) }
        return events
    }

    private mutating func consume(_ given: String) -> ServerSentEvent? {
        var line = given
        if isFirst, line.unicodeScalars.first == "\u{feff}" { line.unicodeScalars.removeFirst() }
        isFirst = false
        guard !line.isEmpty else { return finish() }
        guard !line.hasPrefix(":") else { return nil }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? String(parts[1]) : ""
        if value.hasPrefix(" ") { value.removeFirst() }
        switch parts[0] {
        case "data": data.append(value)
        case "event": event = value
        case "id" where !value.utf8.contains(0): lastID = value
        default: break
        }
        return nil
    }

    private mutating func finish() -> ServerSentEvent? {
        defer { (event, data, size) = (nil, [], 0) }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(id: lastID, event: event, data: data.joined(separator: "\n"))
    }
}
