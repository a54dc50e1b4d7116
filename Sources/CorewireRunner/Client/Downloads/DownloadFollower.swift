import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireHTTP

/// Shows how a download gets on until it has ended: as a bar on a terminal, as lines elsewhere.
///
/// Where the runner goes away it is waited for, since the download goes on with the next one.
struct DownloadFollower {
    private let client: RunnerClient
    private let id: String
    private let showing: Showing
    private let printsPath: Bool
    private var feed: EventFeed
    private let hasBar: Bool
    /// Whether the bar is on the line where something else would be written.
    private var isOnLine = false
    private var last: JSONValue?
    private var shown: (state: String, time: Duration)?

    init(_ client: RunnerClient, _ id: String, _ showing: Showing, printsPath: Bool) {
        (self.client, self.id, self.showing, self.printsPath) = (client, id, showing, printsPath)
        feed = EventFeed(client, "/v1/downloads/\(id.percentEncoded)?watch=true")
        hasBar = !showing.isJSON && Console.isTerminal(2)
    }

    func follow() async throws -> ExitStatus {
        var follower = self
        return try await follower.untilEnded()
    }

    private mutating func untilEnded() async throws -> ExitStatus {
        defer { leaveLine() }
        while true {
            do {
                guard try await read() else { return .success }
            } catch let failure as Failure where failure.status == .unavailable && last != nil {
                // It was there before, so it may come again; who never was is not waited for.
            }
            if let last, let status = Self.end(last) {
                finish(last)
                return status
            }
            try await Clockwork.host.sleep(.seconds(1))
        }
    }

    /// Shows one stream to its end; false where nobody listens any more.
    private mutating func read() async throws -> Bool {
        var (feed, copy) = (feed, self)
        defer { self = copy }
        return try await feed.read { event in
            guard let data = try? JSONValue(parsing: Array(event.data.utf8), named: "event"), data.members != nil else {
                throw Failure.foreign(copy.client.socket)
            }
            copy.last = data
            return copy.show(data)
        }
    }

    private mutating func show(_ data: JSONValue) -> Bool {
        if showing.isJSON { return Console.print(data.text() + "\n") }
        if hasBar {
            // To the beginning of the line, and what was longer before is taken away.
            isOnLine = true
            Console.say("\r\(DownloadText.bar(data, width: TerminalWidth.now))\u{1b}[K")
            return true
        }
        let (state, now) = (data["state"]?.string ?? "", Clockwork.host.monotonic())
        if let shown, shown.state == state, now - shown.time < .seconds(5) { return true }
        shown = (state, now)
        let line = DownloadText.line(data, showing.paint)
        guard printsPath else { return Console.print(line) }
        Console.say(line)
        return true
    }

    private static func end(_ data: JSONValue) -> ExitStatus? {
        switch data["state"]?.string {
        case "done": .success
        case "failed", "cancelled": .problemsFound
        default: nil
        }
    }

    private mutating func leaveLine() {
        if isOnLine { Console.say("\n") }
        isOnLine = false
    }

    private mutating func finish(_ data: JSONValue) {
        guard !showing.isJSON else { return }
        leaveLine()
        if hasBar, data["state"]?.string != "done" { Console.say("\(DownloadText.whole(data, showing.paint))") }
        if printsPath, let path = data["path"]?.string { Console.print(path + "\n") }
    }
}
