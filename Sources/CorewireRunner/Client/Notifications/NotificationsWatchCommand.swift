import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire notifications watch`: what becomes of notifications, one line each.
enum NotificationsWatchCommand {
    static let deeds: Deeds = [
        "notifications watch": run
    ]

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let client = try RunnerClient(invocation)
        let showing = try Showing(invocation)
        // Only what happens from now on is told: what was before is what 'list' and 'events' are for.
        let newest = try await client.newestEvent()
        var feed = EventFeed(client, "/v1/events?follow=true&name=notification.", after: newest)
        return try await feed.follow { event in
            guard let data = try? JSONValue(parsing: Array(event.data.utf8), named: "event"), data.members != nil else {
                throw Failure.foreign(client.socket)
            }
            if showing.isJSON { return EventText(event).map { Console.print($0.json) } ?? true }
            return Console.print(line(event.event ?? "", data, showing.paint))
        }
    }

    private static func line(_ name: String, _ event: JSONValue, _ paint: Paint) -> String {
        if name == "gap" { return paint("… events are missing here: they are no longer kept", .warning) + "\n" }
        let word = name.split(separator: ".").last.map(String.init)?.shown(upTo: 32) ?? ""
        let tint: Paint.Tint =
            switch word {
            case "shown", "handled": .good
            case "failed": .error
            case "suppressed": .warning
            default: .strong
            }
        let data = event["data"] ?? .null
        var words = [event.line("time") ?? "", paint(word, tint), data.line("id", upTo: 80) ?? ""]
        words += [data.line("title", upTo: 80), data.line("body", upTo: 200), data.line("button", upTo: 40)].compactMap
        { $0 }
        words += [data.line("link", upTo: 200), data.line("result"), data.line("reason", upTo: 200)].compactMap { $0 }
        for record in data["handlers"]?.array ?? [] {
            words.append("\(record.line("name", upTo: 60) ?? "")=\(record.line("result") ?? "")")
        }
        return words.filter { !$0.isEmpty }.joined(separator: "  ") + "\n"
    }
}
