package import WireBase

/// Parses an event stream incrementally, from chunks of any size (WHATWG HTML, section 9.2.6).
package struct EventStreamParser: Sendable {
    /// The value of `Last-Event-ID` for the next connection.
    package private(set) var lastEventID = ""
    /// The reconnection delay in milliseconds, where the stream has set one.
    package private(set) var retry: Int?
    /// The number of events that were skipped because they are longer than the limit.
    package private(set) var skipped = 0

    private let limit: ByteCount
    private let skipsLarge: Bool
    private var isLarge = false
    private var isLargeLine = false
    private var line: [UInt8] = []
    private var endedWithCR = false
    private var isAtStart = true
    private var id: String?
    /// The id of the current event; becomes ``lastEventID`` when that event ends.
    private var idSoFar = ""
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false

    /// Makes a parser that rejects an event longer than the limit, or skips its data: then only its id counts.
    ///
    /// The last event id of an earlier connection stays in effect until the stream sends another one.
    package init(limit: ByteCount = .mebibytes(1), after lastEventID: String = "", skipsLarge: Bool = false) {
        (self.limit, self.lastEventID, idSoFar) = (limit, lastEventID, lastEventID)
        self.skipsLarge = skipsLarge
    }

    /// Returns the events that these bytes complete.
    package mutating func consume(_ bytes: some Sequence<UInt8>) throws(BodyTooLarge) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            defer { endedWithCR = byte == UInt8(ascii: "\r") }
            switch byte {
            // CR LF is a single line end.
            case UInt8(ascii: "\n") where endedWithCR: continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if let event = endLine() { events.append(event) }
            default:
                guard !isLargeLine else { continue }
                if line.count + data.count >= limit.bytes, try dropsRest() { continue }
                line.append(byte)
            }
        }
        return events
    }

    /// Whether the rest of the line is dropped: of data together with that of its event, and of another line alone.
    private mutating func dropsRest() throws(BodyTooLarge) -> Bool {
        guard skipsLarge else { throw BodyTooLarge(limit: limit) }
        if line.starts(with: "data:".utf8) {
            isLarge = true
            (data, hasData) = ([], false)
        } else if line.count < limit.bytes {
            return false
        }
        (isLargeLine, isAtStart, line) = (true, false, [])
        return true
    }

    private mutating func endLine() -> ServerSentEvent? {
        guard !isLargeLine else {
            isLargeLine = false
            return nil
        }
        defer { line.removeAll(keepingCapacity: true) }
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // A line that begins with a colon is a comment: its field name is empty.
        field(String(decoding: line[..<colon], as: UTF8.self), value)
        return nil
    }

    private mutating func field(_ name: String, _ value: ArraySlice<UInt8>) {
        switch name {
        case "event": self.name = String(decoding: value, as: UTF8.self)
        case "data" where !isLarge:
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "id" where !value.contains(0):
            let id = String(decoding: value, as: UTF8.self)
            self.id = id
            idSoFar = id
        case "retry" where !value.isEmpty && value.allSatisfy(\.isDigit):
            retry = Int(String(decoding: value, as: UTF8.self)) ?? retry
        default: break
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            data.removeAll(keepingCapacity: true)
            hasData = false
            name = ""
            id = nil
            isLarge = false
        }
        if isLarge { skipped += 1 }
        // Also set when the event has no data: a server may send an id alone.
        lastEventID = idSoFar
        guard hasData else { return nil }
        return ServerSentEvent(
            id: id,
            event: name.isEmpty ? nil : name,
            data: String(decoding: data, as: UTF8.self)
        )
    }
}
