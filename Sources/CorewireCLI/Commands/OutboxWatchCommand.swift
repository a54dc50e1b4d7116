import WireBase
import WireConfig
import WireHTTP
import WireWorkContract

/// `corewire outbox watch`: events of requests, one a line, with a live count on a terminal.
struct OutboxWatchCommand {
    static let command = Command(
        name: "watch",
        summary: "Follow the events of requests.",
        discussion: """
            Prints a line for each request that is queued, sent, postponed, failed or dropped; on a
            terminal the last line shows the number of queued requests. With --format json each line
            is an object.
            """,
        options: RunnerCommands.outputOptions,
        run: run
    )

    private let client: RunnerClient
    private let showing: Display
    private let isLive: Bool

    private struct Counts {
        var sent = 0, failed = 0, dropped = 0
    }

    private static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let client = try RunnerClient(invocation)
        let showing = try Display(invocation)
        let command = OutboxWatchCommand(
            client: client,
            showing: showing,
            isLive: !showing.isJSON && Console.isTerminal(1)
        )
        // Only new events: 'list' and 'events' show the past.
        let newest = try await client.newestEvent()
        var feed = EventFeed(eventsOf: client, "follow=true&name=outbox.", after: newest)
        var counts = Counts()
        return try await feed.follow(opening: command.tellWaiting) { event in
            switch event.event {
            case "outbox.sent": counts.sent += 1
            case "outbox.failed": counts.failed += 1
            case "outbox.dropped": counts.dropped += 1
            default: break
            }
            return try command.show(event, counts)
        }
    }

    private func show(_ event: ServerSentEvent, _ counts: Counts) throws -> Bool {
        if showing.isJSON {
            guard let text = EventText(event) else { return true }
            return Console.print(text.json)
        }
        let line = try line(event)
        guard isLive else { return Console.print(line) }
        return Console.print("\r\u{1b}[K\(line)\(showing.paint(Self.summary(counts), .faint))")
    }

    private static func summary(_ counts: Counts) -> String {
        "\(counts.sent) sent, \(counts.failed) failed, \(counts.dropped) dropped"
    }

    /// Prints the number of queued requests before the first event.
    private func tellWaiting() async throws {
        guard !showing.isJSON else { return }
        var request = OutboxListRequest()
        request.limit = 1
        let page = try await client.perform(OutboxCalls.list, request).answer
        let waiting = page.waiting
        let oldest = page.oldest.map { ", the oldest for \(Display.period($0))" } ?? ""
        let paused = page.pauses.isWhole ? "; paused" : ""
        _ = Console.print(
            "\(isLive ? "\r\u{1b}[K" : "")\(waiting) \(waiting == 1 ? "waits" : "wait")\(oldest)\(paused)\n"
        )
    }

    private func line(_ event: ServerSentEvent) throws -> String {
        let paint = showing.paint
        if event.event == "gap" { return paint("… events are missing here: they were dropped", .warning) + "\n" }
        guard
            let told = try? SentEvent(parsing: Array(event.data.utf8), named: "event", toleratesUnknown: true)
        else { throw Failure.foreign(client.socket) }
        let word = event.event?.split(separator: ".").last.map(String.init)?.shown(upTo: 32) ?? ""
        let tint: Paint.Tint =
            switch word {
            case "sent": .good
            case "failed", "dropped": .error
            case "waiting": .warning
            default: .strong
            }
        let data = told.data
        let words: [String?] = [
            told.time.shown(upTo: 32), paint(word, tint), data?.id?.shown(upTo: 400),
            data?.method.map { "\($0.shown(upTo: 32)) \(data?.path?.shown(upTo: 100) ?? "")" },
            data?.lane.map { "lane \($0.shown(upTo: 64))" }, data?.status.map { "\($0)" },
            data?.reason?.shown(upTo: 200),
        ]
        return words.compactMap(\.self).joined(separator: "  ") + "\n"
    }
}

/// An event of the outbox as the stream sends it.
private struct SentEvent: JSONRecord {
    let time: String
    let data: OutboxEvent?

    static let form = JSONForm<Self>("SentEvent", "An event of the outbox.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        time = try members.required("time", \.time, "The time of the event.")
        data = try members.optional("data", \.data, "The payload.")
    }
}
