import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract

/// The request for notifications that a stream has missed.
///
/// The stream is open already, and its messages wait: none is lost between the two, and one that comes both ways is
/// recognized by its id.
struct CatchUp: Record {
    @Setting var url: Address
    @Setting var items: FieldPath?

    init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "URL of the notifications since the last one, oldest first; the last id is sent as 'resume' says.",
            .takes(.endpoint),
            .example("v1/notifications")
        )
        _items = keys.optional(
            "items",
            "Field of the response with the list of messages. Default: the response is the list, or has a message in "
                + "each line (application/x-ndjson).",
            .example("data.items")
        )
    }

    var connectionSettings: [String?] { [url.text, items?.text] }

    private static let mostPages = 10_000

    /// Stores all missed notifications, page by page until a page brings nothing new.
    func run(
        _ request: StreamRequest,
        _ messages: StreamMessages,
        _ session: StreamSession,
        by requests: any ServerClient
    )
        async throws(StreamEnd)
    {
        for _ in 0..<Self.mostPages {
            let before = session.last
            let answer = try await session.read(request.catchUpCall(self, session, by: requests), by: requests)
            guard let found = list(in: answer.body, hasLines: answer.hasLines) else {
                throw StreamEnd(.refused, "the response to 'catchUp' has no list of messages", at: session.place)
            }
            for message in found {
                do throws(NotificationFailure) { try await take(message, messages, session) } catch {
                    throw StreamEnd(error)
                }
            }
            if found.isEmpty || session.last == before { return session.progress.endCatchUp() }
        }
        throw StreamEnd("'catchUp' does not end: \(Self.mostPages) responses had new messages")
    }

    private func take(_ message: JSONValue?, _ messages: StreamMessages, _ session: StreamSession)
        async throws(NotificationFailure)
    {
        guard let message else { return try await session.skip(nil, "the line is not JSON, or too long") }
        guard let id = messages.id(of: message) else {
            let path = messages.fields.id?.text ?? ""
            return try await session.skip(nil, "a missed message has no id in \(path.quoted)")
        }
        _ = try await messages.accept(typed: message, in: session)
        session.progress.caughtUp(id)
    }

    /// The messages of a response; nil for one that cannot be read.
    private func list(in body: [UInt8], hasLines: Bool) -> [JSONValue?]? {
        guard hasLines, items == nil else {
            guard let whole = try? JSONValue(parsing: body, named: "response", limits: .notificationList) else {
                return body.isEmpty ? [] : nil
            }
            return (items.map { whole.value(at: $0.text) } ?? whole)?.array
        }
        var decoder = LineDecoder()
        return (decoder.consume(body) + decoder.consume([UInt8(ascii: "\n")])).map { line in
            guard case .line(let bytes) = line else { return nil }
            return try? JSONValue(parsing: bytes, named: "line", limits: .notification)
        }
    }
}

extension ReadingLimits {
    /// A list of messages may hold one that is nested too deeply, which is rejected by itself.
    static var notificationList: ReadingLimits {
        var limits = ReadingLimits.notification
        limits.depth = 1_000
        return limits
    }
}
