import WireBase
import WireConfig
import WireHTTP
import WireService

/// The notifications for a connected app, as server-sent events.
struct HandlerStream {
    private let service: NotificationsService
    private let handler: ConnectedApps.Handler
    private let isForeground: Bool

    /// The interval of heartbeats on a silent stream.
    private static let heartbeat = Duration.seconds(15)

    init(_ service: NotificationsService, _ handler: ConnectedApps.Handler, isForeground: Bool) {
        (self.service, self.handler, self.isForeground) = (service, handler, isForeground)
    }

    func response() -> Response { .events { writer in try await write(to: writer) } }

    private func write(to writer: any BodyWriter) async throws {
        let line = AppLine()
        guard let ticket = service.apps.connect(handler, isForeground: isForeground, line) else { return }
        defer {
            if let reason = line.end {
                service.apps.release(handler, ticket)
                service.telemetry.dropped(handler.name, because: reason)
            } else {
                service.apps.disconnect(ticket)
            }
        }
        service.engine.noteHandlers()
        let clock = service.present.host.clock
        // From here on the app receives notifications: one that waits for this event misses none.
        try await writer.write(ServerSentEvent(event: "ready", data: "{}").bytes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in line.events {
                    line.begin(at: clock.monotonic())
                    try await writer.write(event)
                    line.acknowledge(event)
                }
            }
            group.addTask {
                while true {
                    try await clock.sleep(Self.heartbeat)
                    if let began = line.writingSince {
                        // A heartbeat would wait behind unread events.
                        let wait = clock.monotonic() - began
                        if wait >= max(handler.timeout, Self.heartbeat) { line.end(AppLine.unread) }
                    } else {
                        try await writer.write(ServerSentEvent.heartbeat)
                    }
                }
            }
            group.addTask {
                await line.untilEnd()
                throw ConnectionGone()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
