import CorewireCLI
import WireBase
import WireHost

/// `corewire events`: what happened, and with `--follow` what happens.
struct EventsCommand {
    static let deeds: Deeds = ["events": run]

    private let client: RunnerClient
    private let showing: Showing
    private let name: String
    private var last: String?

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Showing(invocation)
        let after = invocation.option("after")
        if let after, UInt64(after) == nil || !after.utf8.allSatisfy(\.isDigit) {
            throw UsageError("--after takes the id of an event, not \(after.quoted)", for: invocation.path)
        }
        var command = EventsCommand(
            client: try RunnerClient(invocation),
            showing: showing,
            name: invocation.option("name") ?? "",
            last: after
        )
        guard try await command.read(follow: false), invocation.flag("follow") else { return .success }
        return try await command.follow()
    }

    /// Goes on until interrupted: a runner that is started again is watched again, from where this one broke off.
    private mutating func follow() async throws -> ExitStatus {
        var pause = Self.shortest
        while true {
            let seen = last
            do {
                guard try await read(follow: true) else { return .success }
                Console.say("the runner has ended; waiting for it\n")
            } catch let failure as Failure where failure.status == .unavailable {
                if pause == Self.shortest { Console.say("the connection is lost: \(failure.message); trying again\n") }
            }
            // What has said something new is alive, and is not waited for longer each time.
            pause = last == seen ? min(pause * 2, Self.longest) : Self.shortest
            try await Clockwork.host.sleep(pause)
        }
    }

    private static let shortest = Duration.milliseconds(200)
    private static let longest = Duration.seconds(10)

    /// Shows one stream to its end; false where nobody listens any more.
    private mutating func read(follow: Bool) async throws -> Bool {
        var feed = EventFeed(client, "/v1/events?follow=\(follow)&name=\(name.percentEncoded)", after: last)
        defer { last = feed.last }
        return try await feed.read { event in
            guard let text = EventText(event) else { throw Failure.foreign(client.socket) }
            return Console.print(showing.isJSON ? text.json : text.text(showing.paint))
        }
    }
}

extension String {
    /// The text as a value of a query (RFC 3986, section 2.3).
    var percentEncoded: String {
        var encoded = ""
        for byte in utf8 {
            if byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }
}
