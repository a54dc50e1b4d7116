import WireBase
import WireConfig
import WireNetworkContract
import WireNotificationContract

/// A response that never ends, with a JSON object in each line.
struct JSONLinesStream: RequestedStream {
    let request: StreamRequest
    let messages: StreamMessages
    @Setting var idleLimit: Duration

    init(_ keys: inout Keys) {
        request = StreamRequest(&keys, example: "v1/notifications/lines")
        messages = StreamMessages(
            &keys,
            events: "Values of the field 'event' of messages that are notifications. Default: any.",
            id: StreamKeys.idHelp
        )
        _idleLimit = StreamKeys.idleLimit(&keys, or: .seconds(300))
    }
}

extension JSONLinesStream {
    static let word = "jsonLines"
    static let help = "A JSON object in each line of a response that does not end."

    /// The media types of lines of JSON; none is registered.
    static let mediaTypes = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
        "application/json-lines", "application/json",
    ]

    var connectionSettings: [String?] {
        request.connectionSettings + messages.connectionSettings + ["\(idleLimit)"]
    }

    func check(_ path: String, _ checks: inout Checks) {
        request.check(path, isSocket: false, &checks)
    }

    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        let reader = HTTPStreamReader(
            session: session,
            idleLimit: idleLimit,
            mediaTypes: Self.mediaTypes,
            decoder: LineDecoder()
        )
        return await session.reading(until: leave) {
            await reader.read(
                request.call(session, by: requests),
                by: requests,
                opened: { _ async throws(StreamEnd) in
                    try await request.catchUp?.run(request, messages, session, by: requests)
                }
            ) { line async throws(NotificationFailure) in
                guard let message = try await session.message(in: line) else { return false }
                _ = try await messages.accept(typed: message, in: session)
                return true
            }
        }
    }
}
