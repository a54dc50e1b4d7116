import WireBase
import WireConfig
import WireHTTP
import WireService

/// `corewire outbox follow`: what becomes of requests, one line each, and on a terminal how many wait.
struct OutboxFollowCommand {
    static let command = Command(
        name: "follow",
        summary: "Show what becomes of requests as it happens, until interrupted.",
        discussion: """
            A line for each request that is taken, sent, put off, given up or dropped; on a terminal
            the last line tells how many wait. With --output json each line is an object.
            """,
        options: RunnerCommands.speaking,
        run: run
    )

    private let client: RunnerClient
    private let showing: Showing
    private let isLive: Bool

    private struct Counts {
        var sent = 0, failed = 0, dropped = 0
    }

    private static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let client = try RunnerClient(invocation)
        let showing = try Showing(invocation)
        let command = OutboxFollowCommand(
            client: client,
            showing: showing,
            isLive: !showing.isJSON && Console.isTerminal(1)
        )
        // Only what happens from now on is told: what was before is what 'list' and 'events' are for.
        let newest = try await client.newestEvent()
        var feed = EventFeed(client, "/v1/events?follow=true&name=outbox.", after: newest)
        var counts = Counts()
        return try await feed.follow(opening: command.tellWaiting) { event in
            guard let data = try? JSONValue(parsing: Array(event.data.utf8), named: "event"), data.members != nil else {
                throw Failure.foreign(client.socket)
            }
            switch event.event {
            case "outbox.sent": counts.sent += 1
            case "outbox.failed": counts.failed += 1
            case "outbox.dropped": counts.dropped += 1
            default: break
            }
            return command.show(event, data, counts)
        }
    }

    private func show(_ event: ServerSentEvent, _ data: JSONValue, _ counts: Counts) -> Bool {
        if showing.isJSON {
            guard let text = EventText(event) else { return true }
            return Console.print(text.json)
        }
        let line = Self.line(event.event ?? "", data, showing.paint)
        guard isLive else { return Console.print(line) }
        return Console.print("\r\u{1b}[K\(line)\(showing.paint(Self.summary(counts), .faint))")
    }

    private static func summary(_ counts: Counts) -> String {
        "\(counts.sent) sent, \(counts.failed) failed, \(counts.dropped) dropped"
    }

    /// How it is before anything happens.
    private func tellWaiting() async throws {
        guard !showing.isJSON else { return }
        var request = OutboxListRequest()
        request.limit = 1
        let page = try await client.perform(OutboxCalls.list, request).answer
        let waiting = page.waiting
        let oldest = page.oldest.map { ", the oldest for \(OutboxText.age($0))" } ?? ""
        let paused = page.pauses.isWhole ? "; paused" : ""
        _ = Console.print(
            "\(isLive ? "\r\u{1b}[K" : "")\(waiting) \(waiting == 1 ? "waits" : "wait")\(oldest)\(paused)\n"
        )
    }

    private static func line(_ name: String, _ event: JSONValue, _ paint: Paint) -> String {
        if name == "gap" { return paint("… events are missing here: they are no longer kept", .warning) + "\n" }
        let word = name.split(separator: ".").last.map(String.init)?.shown(upTo: 32) ?? ""
        let tint: Paint.Tint =
            switch word {
            case "sent": .good
            case "failed", "dropped": .error
            case "waiting": .warning
            default: .strong
            }
        let data = event["data"] ?? .null
        var words = [event.line("time") ?? "", paint(word, tint)]
        if let id = data.line("id") { words.append(id) }
        if let method = data.line("method", upTo: 32) {
            words.append("\(method) \(data.line("path", upTo: 100) ?? "")")
        }
        if let lane = data.line("lane", upTo: 64) { words.append("lane \(lane)") }
        if let status = data["status"]?.integer { words.append("\(status)") }
        if let reason = data.line("reason", upTo: 200) { words.append(reason) }
        return words.joined(separator: "  ") + "\n"
    }
}
