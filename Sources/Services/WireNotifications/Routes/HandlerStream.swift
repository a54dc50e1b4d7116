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

    func response() -> Response { .events { writer in try await write(to: writer) } }

    private func write(to writer: any BodyWriter) async throws {
        let line = AppLine()
        guard let ticket = service.apps.connect(handler, isForeground: isForeground, line) else { return }
        defer {
            if let reason = line.end {
                service.apps.letGo(handler, ticket)
                service.ledger.dropped(handler.name, because: reason)
            } else {
                service.apps.disconnect(ticket)
            }
        }
        let clock = service.present.host.clock
        // From here on it handles what comes: an app that waits for this misses nothing.
        try await writer.write(ServerSentEvent(event: "ready", data: "{}").bytes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in line.events {
                    line.begin(at: clock.monotonic())
                    try await writer.write(event)
                    line.took(event)
                }
            }
            group.addTask {
                while true {
                    try await clock.sleep(Self.heartbeat)
                    if let began = line.writingSince {
                        // Behind what it does not read a sign of life would wait as well.
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
