/// Reads the events of a stream as they arrive.
package final class EventReader: Sendable {
    package struct Event: Sendable {
        package var id: String?
        package var event: String?
        package var data: String
    }

    private let client: RawClient
    private let buffer = Buffer()

    /// Continues after the head of a response.
    package init(_ client: RawClient) {
        self.client = client
    }

    /// The next event with data; nil at the end of the stream.
    package func next() async throws -> Event? {
        while true {
            if let frame = buffer.frame() {
                if let event = Self.event(frame, &buffer.lastID) { return event }
                continue
            }
            guard let more = try await client.chunk() else { return nil }
            buffer.bytes += more
        }
    }

    /// The id of the last event, including ids without data.
    package var lastID: String? { buffer.lastID }

    package func close() async throws { try await client.close() }

    private static func event(_ frame: String, _ lastID: inout String?) -> Event? {
        var event = Event(data: "")
        var hasData = false
        for line in frame.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "id": lastID = value
            case "event": event.event = value
            case "data":
                event.data += value
                hasData = true
            default: break
            }
        }
        event.id = lastID
        return hasData ? event : nil
    }

    /// Unchecked: a reader belongs to one test, which reads sequentially.
    private final class Buffer: @unchecked Sendable {
        var bytes: [UInt8] = []
        var lastID: String?

        func frame() -> String? {
            guard let end = zip(bytes, bytes.dropFirst()).enumerated().first(where: { $0.element == (10, 10) })?.offset
            else { return nil }
            defer { bytes.removeFirst(end + 2) }
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }
}
