import CorewireCLI
import WireBase
import WireHTTP

/// A stream of server-sent events that goes on where it broke off.
struct EventFeed {
    private let client: RunnerClient
    private let path: String
    /// The id of the last event that was taken; those after it come next.
    private(set) var last: String?

    init(_ client: RunnerClient, _ path: String, after last: String? = nil) {
        self.client = client
        self.path = path
        self.last = last
    }

    /// Opens the stream and gives every event of it away until it ends; false where nobody takes them any more.
    mutating func read(_ take: (ServerSentEvent) throws -> Bool) async throws -> Bool {
        var fields: Fields = ["Accept": "text/event-stream"]
        if let last { fields["Last-Event-ID"] = last }
        let response = try await client.open(.get, path, fields: fields, silence: .seconds(60))
        guard response.status == .ok else {
            let bytes = try await client.read(response.body) { try await $0.collect(upTo: .mebibytes(1)) }
            _ = try RunnerAnswer(status: response.status, fields: response.fields, bytes: bytes, socket: client.socket)
                .wellDone()
            throw Failure.foreign(client.socket)
        }
        guard response.fields["Content-Type"]?.hasPrefix("text/event-stream") ?? false else {
            throw Failure.foreign(client.socket)
        }
        var frames = EventFrames()
        while let bytes = try await client.read(response.body, { try await $0.read() }) {
            for event in try frames.take(bytes) {
                guard try take(event) else { return false }
            }
            last = frames.lastID ?? last
        }
        return true
    }
}
