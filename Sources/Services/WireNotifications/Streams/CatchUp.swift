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
            let answer = try await session.read(request.call(session, by: requests, to: url), by: requests)
            guard let found = list(in: answer.body, hasLines: answer.hasLines) else {
                throw StreamEnd(.refused, "the response to 'catchUp' has no list of messages", at: session.place)
            }
            for message in found {
                let id = messages.id(of: message)
                do throws(NotificationFailure) {
                    _ = try await messages.accept(message, id: id, position: id, in: session)
                } catch { throw StreamEnd(error) }
            }
            if found.isEmpty || session.last == before { return }
        }
    }

    private func list(in body: [UInt8], hasLines: Bool) -> [JSONValue]? {
        guard hasLines, items == nil else {
            guard let whole = try? JSONValue(parsing: body, named: "response", limits: .notification) else {
                return body.isEmpty ? [] : nil
            }
            return (items.map { whole.value(at: $0.text) } ?? whole)?.array
        }
        var decoder = LineDecoder()
        var messages: [JSONValue] = []
        for line in decoder.consume(body) + decoder.consume([UInt8(ascii: "\n")]) {
            guard case .line(let bytes) = line,
                let message = try? JSONValue(parsing: bytes, named: "line", limits: .notification)
            else { return nil }
            messages.append(message)
        }
        return messages
    }
}
