/// One event of a stream, as the wire has it (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Sendable {
    package var id: String?
    package var event: String?
    package var data: String
    package var retry: Int?

    package init(id: String? = nil, event: String? = nil, data: String, retry: Int? = nil) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }

    /// The event as it is sent; line breaks inside data become further `data` lines.
    package var bytes: [UInt8] {
        var text = ""
        if let id { text += "id: \(id)\n" }
        if let event { text += "event: \(event)\n" }
        if let retry { text += "retry: \(retry)\n" }
        for line in data.split(
            omittingEmptySubsequences: false,
            whereSeparator: { "\r\n".contains($0) || $0 == "\r\n" }
        ) {
            text += "data: \(line)\n"
        }
        return Array((text + "\n").utf8)
    }

    /// A comment that keeps a connection alive.
    package static let heartbeat = Array(":\n\n".utf8)
}
