import WireBase
import WireConfig
import WireHTTP
import WireService

/// The notifications an app is to handle, as server-sent events, for as long as it listens.
struct HandlerStream {
    private let service: NotificationsService
    private let handler: ConnectedApps.Handler
    private let isForeground: Bool

    /// How often a silent stream shows that it lives.
    private static let heartbeat = Duration.seconds(15)

    init(_ service: NotificationsService, _ handler: ConnectedApps.Handler, isForeground: Bool) {
        (self.service, self.handler, self.isForeground) = (service, handler, isForeground)
    }

    func response() -> Response {
        Response(
            .ok,
            fields: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"],
            body: .stream { writer in try await write(to: writer) }
        )
    }

    private func write(to writer: any BodyWriter) async throws {
        let (questions, continuation) = AsyncStream.makeStream(
            of: ConnectedApps.Question.self,
            bufferingPolicy: .bufferingOldest(1_000)
        )
        guard let ticket = service.apps.connect(handler, isForeground: isForeground, { continuation.yield($0) }) else {
            return
        }
        defer { service.apps.disconnect(ticket) }
        let sleep = service.present.host.clock.sleep
        // From here on it handles what comes: an app that waits for this misses nothing.
        try await writer.write(ServerSentEvent(event: "ready", data: "{}").bytes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await question in questions {
                    let event = ServerSentEvent(id: question.id, event: "notification", data: question.json.text())
                    try await writer.write(event.bytes)
                }
            }
            group.addTask {
                while true {
                    try await sleep(Self.heartbeat)
                    try await writer.write(ServerSentEvent.heartbeat)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
