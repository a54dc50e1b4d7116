/// A server-sent event (WHATWG HTML, section 9.2).
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

    /// The encoded event; line breaks in the data become further `data` lines.
    ///
    /// Line breaks in an id or a name are removed, since they would inject further fields.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.utf8.count + 64)
        if let id { Self.add("id: ", id, to: &bytes) }
        if let event { Self.add("event: ", event, to: &bytes) }
        if let retry { Self.add("retry: ", "\(max(0, retry))", to: &bytes) }
        bytes += "data: ".utf8
        var endedWithCR = false
        for byte in data.utf8 {
            let isFeed = byte == UInt8(ascii: "\n")
            if byte == UInt8(ascii: "\r") || (isFeed && !endedWithCR) {
                bytes += "\ndata: ".utf8
            } else if !isFeed {
                bytes.append(byte)
            }
            endedWithCR = byte == UInt8(ascii: "\r")
        }
        bytes += "\n\n".utf8
        return bytes
    }

    /// Adds a field on one line.
    private static func add(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes += name.utf8
        bytes += value.utf8.lazy.filter { $0 != 0 && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// A comment that keeps the connection alive.
    package static let heartbeat = Array(":\n\n".utf8)
}

extension Response {
    /// A response that streams server-sent events until the closure returns; proxies must not cache or buffer it.
    package static func events(_ write: @escaping @Sendable (any BodyWriter) async throws -> Void) -> Response {
        Response(
            .ok,
            fields: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"],
            body: .stream(write)
        )
    }
}
