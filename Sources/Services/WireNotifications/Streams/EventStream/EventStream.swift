import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract

/// A stream of server-sent events (WHATWG HTML, section 9.2).
struct EventStream: RequestedStream {
    let request: StreamRequest
    let messages: StreamMessages
    @Setting var idleLimit: Duration

    init(_ keys: inout Keys) {
        request = StreamRequest(&keys, example: "v1/notifications/stream")
        messages = StreamMessages(
            &keys,
            events: "Types of events that are notifications. Default: 'message', the type of events without one.",
            id:
                "Field of the data with the id of an event that has none, and of a message of 'catchUp'. Without this key "
                + "an event has only the id of its own."
        )
        _idleLimit = StreamKeys.idleLimit(&keys, or: .seconds(300))
    }
}

extension EventStream {
    static let word = "sse"
    static let help = "Server-sent events with JSON payloads."

    var connectionSettings: [String?] {
        request.connectionSettings + messages.connectionSettings + ["\(idleLimit)", "\(messages.fields.$id.isWritten)"]
    }

    func check(_ path: String, _ checks: inout Checks) {
        request.check(path, isSocket: false, &checks)
    }

    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        let reader = HTTPStreamReader(
            session: session,
            idleLimit: idleLimit,
            mediaTypes: ["text/event-stream"],
            decoder: EventStreamDecoder(after: session.last)
        )
        return await session.reading(until: leave) {
            await reader.read(
                request.call(session, by: requests),
                by: requests,
                opened: { _ async throws(StreamEnd) in
                    try await request.catchUp?.run(request, messages, session, by: requests)
                }
            ) { event async throws(NotificationFailure) in
                try await take(event, session)
            }
        }
    }

    private func take(_ found: EventStreamDecoder.Event, _ session: StreamSession)
        async throws(NotificationFailure) -> Bool
    {
        let event: ServerSentEvent
        switch found {
        case .event(let found): event = found
        case .position(let id):
            try await session.saveLastEventID(behind: id)
            return true
        case .tooLong:
            try await session.skip(nil, "the event is too long")
            return true
        }
        let type = event.event ?? "message"
        guard messages.events.map({ $0.contains { $0.text == type } }) ?? (type == "message") else {
            session.logSkipped(type)
            try await session.saveLastEventID(behind: event.id)
            return true
        }
        guard !event.data.isEmpty else {
            try await session.saveLastEventID(behind: event.id)
            return true
        }
        guard let message = try? JSONValue(parsing: Array(event.data.utf8), named: "event", limits: .notification)
        else {
            try await session.skip(event.id, "the event is not JSON")
            return true
        }
        // Where the event has no id, the field from the file is used.
        let field = messages.fields.$id.isWritten ? messages.id(of: message) : nil
        let id = event.id.flatMap { $0.isEmpty ? nil : $0 } ?? field
        if let id, session.progress.takeCaughtUp(id) { return true }
        _ = try await messages.accept(message, id: id, position: id ?? event.id, in: session)
        return true
    }
}
