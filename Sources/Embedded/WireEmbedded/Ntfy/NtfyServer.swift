import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireTelemetry

/// An ntfy server without access control below `/ntfy`: `POST /ntfy/TOPIC` publishes, `GET /ntfy/TOPIC/json` reads.
struct NtfyServer: BuiltInServer {
    let topics: NtfyTopics
    let clock: TimeSource
    /// Fires when the server ends.
    let ending: OneShot
    let log: Log

    /// The largest body that is accepted.
    private static let limit = ByteCount.kibibytes(64)
    /// The pause after which a silent stream sends a keepalive.
    private static let keepAlive = Duration.seconds(45)

    var segments: [String] { ["ntfy"] }

    func signs(at address: String) -> [EndpointInfo] {
        [EndpointInfo(title: "ntfy: POST publishes to a topic", places: ["\(address)/ntfy/tasks/json?poll=1"])]
    }

    func exchange(for head: Request) -> Exchange {
        let path = head.target.segments.dropFirst().filter { !$0.isEmpty }
        switch (head.method, path.count) {
        case (.post, 0), (.put, 0):
            return perform { .json(try await topics.publish(NtfyMessageRequest(json: $0))) }
        case (.post, 1), (.put, 1):
            return perform { .json(try await topics.publish(NtfyMessageRequest($0, topic: path[0]))) }
        case (.get, 2) where path[1] == "auth":
            return perform { _ in .json(.members(["success": .boolean(true)])) }
        case (.get, 2):
            guard let form = NtfySubscription.Form(rawValue: path[1]) else { return unknown }
            return perform { try await subscribe(NtfySubscription($0, path[0], form, now: Int(clock.wall() / 1_000))) }
        case (.get, _), (.head, _): return unknown
        default: return .refused(allowing: [.get, .head, .post, .put])
        }
    }

    private var unknown: Exchange {
        perform { _ in throw EmbeddedError.ntfy(40_401, .notFound, "page not found") }
    }

    private func perform(_ work: @escaping @Sendable (Request) async throws -> Response) -> Exchange {
        let failure = EmbeddedError.ntfy(50_001, Status(500), "internal server error")
        return .embedded("ntfy", log, upTo: Self.limit, failure: { _ in failure }, work)
    }

    // MARK: Reading

    private func subscribe(_ subscription: NtfySubscription) async throws -> Response {
        // Messages that are published from here on follow the stored ones.
        let last = try await topics.latest()
        let missed = try await subscription.missed(topics, upTo: last)
        let fields: Fields = ["Content-Type": subscription.contentType, "Cache-Control": "no-store"]
        guard !subscription.isPoll else {
            return Response(.ok, fields: fields, body: .bytes(missed.flatMap { subscription.bytes($0.message) ?? [] }))
        }
        return Response(
            .ok,
            fields: fields,
            body: .stream { writer in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await stream(subscription, missed, after: last, to: writer) }
                    group.addTask { await ending.wait() }
                    try await group.next()
                    group.cancelAll()
                }
            }
        )
    }

    private func stream(
        _ subscription: NtfySubscription,
        _ missed: [NtfyTopics.Numbered],
        after last: Int,
        to writer: any BodyWriter
    ) async throws {
        func write(_ message: JSONValue) async throws {
            if let bytes = subscription.bytes(message) { try await writer.write(bytes) }
        }
        try await write(topics.event("open", subscription.path))
        for message in missed { try await write(message.message) }
        // The first keepalive tells that all stored messages have been sent.
        if !missed.isEmpty { try await write(topics.event("keepalive", subscription.path)) }
        var number = last
        while !Task.isCancelled {
            let count = topics.published.count
            let new = try await topics.messages(after: number)
            for message in new where subscription.takes(message.message) { try await write(message.message) }
            number = new.last?.number ?? number
            guard new.isEmpty else { continue }
            await topics.published.wait(after: count, atMost: Self.keepAlive, clock)
            guard topics.published.count == count, !Task.isCancelled else { continue }
            try await write(topics.event("keepalive", subscription.path))
        }
    }
}
