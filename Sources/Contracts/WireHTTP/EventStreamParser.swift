package import WireBase

/// Takes an event stream apart as its bytes come, in pieces of any size (WHATWG HTML, section 9.2.6).
package struct EventStreamParser: Sendable {
    /// What is sent as `Last-Event-ID` when the stream is asked for again.
    package private(set) var lastEventID = ""
    /// How long to wait before that, in milliseconds, where the stream has said so.
    package private(set) var retry: Int?

    private let limit: ByteCount
    private var line: [UInt8] = []
    private var endedWithCR = false
    private var isAtStart = true
    private var id: String?
    /// The id that counts once the event it stands in has ended.
    private var idSoFar = ""
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false

    /// A stream with an event longer than the limit is refused rather than kept.
    ///
    /// The id of the last event of a former connection counts until another one comes.
    package init(limit: ByteCount = .mebibytes(1), after lastEventID: String = "") {
        (self.limit, self.lastEventID, idSoFar) = (limit, lastEventID, lastEventID)
    }

    /// The events that are complete with these bytes.
    package mutating func take(_ bytes: some Sequence<UInt8>) throws(BodyTooLarge) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            defer { endedWithCR = byte == UInt8(ascii: "\r") }
            switch byte {
            // CR LF is one end of a line.
            case UInt8(ascii: "\n") where endedWithCR: continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if let event = endLine() { events.append(event) }
            default:
                guard line.count + data.count < limit.bytes else { throw BodyTooLarge(limit: limit) }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // A line that begins with a colon is a comment, and its field has no name.
        field(String(decoding: line[..<colon], as: UTF8.self), value)
        return nil
    }

    private mutating func field(_ name: String, _ value: ArraySlice<UInt8>) {
        switch name {
        case "event": self.name = String(decoding: value, as: UTF8.self)
        case "data":
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
        }
        // Also where the event has no data: a server moves clients on by an id alone.
        lastEventID = idSoFar
        guard hasData else { return nil }
        return ServerSentEvent(
            id: id,
            event: name.isEmpty ? nil : name,
            data: String(decoding: data, as: UTF8.self)
        )
    }
}
