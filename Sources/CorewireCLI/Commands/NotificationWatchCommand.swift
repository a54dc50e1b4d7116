import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// `corewire notifications watch`: events of notifications, one a line.
enum NotificationWatchCommand {
    static let command = Command(
        name: "watch",
        summary: "Follow the events of notifications.",
        options: RunnerCommands.outputOptions,
        run: run
    )

    private static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let client = try RunnerClient(invocation)
        let showing = try Display(invocation)
        // Only new events: 'list' and 'events' show the past.
        let newest = try await client.newestEvent()
        var feed = EventFeed(eventsOf: client, "follow=true&name=notification.", after: newest)
        return try await feed.follow { event in
            if showing.isJSON { return EventText(event).map { Console.print($0.json) } ?? true }
            return Console.print(try line(event, showing.paint, client.socket))
        }
    }

    private static func line(_ event: ServerSentEvent, _ paint: Paint, _ socket: FoundSocket) throws -> String {
        if event.event == "gap" { return paint("… events are missing here: they were dropped", .warning) + "\n" }
        guard let told = try? SentEvent(parsing: Array(event.data.utf8), named: "event", toleratesUnknown: true)
        else { throw Failure.foreign(socket) }
        let word = event.event?.split(separator: ".").last.map(String.init)?.shown(upTo: 32) ?? ""
        let tint: Paint.Tint =
            switch word {
            case "shown", "handled": .good
            case "failed": .error
            case "suppressed": .warning
            default: .strong
            }
        let data = told.data
        var words: [String?] = [
            told.time.shown(upTo: 32), paint(word, tint), data?.id?.shown(upTo: 80), data?.title?.shown(upTo: 80),
            data?.body?.shown(upTo: 200), data?.button?.shown(upTo: 40), data?.link?.shown(upTo: 200),
            data?.result?.rawValue, data?.reason?.shown(upTo: 200),
        ]
        words += (data?.handlers ?? []).map { "\($0.name.shown(upTo: 60))=\($0.result.rawValue)" }
        return words.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ") + "\n"
    }
}

/// An event of notifications as the stream sends it.
private struct SentEvent: JSONRecord {
    let time: String
    let data: NotificationEvent?

    static let form = JSONForm<Self>("SentEvent", "An event of notifications.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        time = try members.required("time", \.time, "The time of the event.")
        data = try members.optional("data", \.data, "The payload.")
    }
}
