import WireBase
import WireConfig
import WireDownloadContract
import WireHost
import WireHTTP

/// Shows the progress of a download until it has ended: a bar on a terminal, lines elsewhere.
///
/// Where the runner ends, the command waits for the next one, which continues the download.
struct DownloadFollower {
    private let client: RunnerClient
    private let showing: Display
    private let printsPath: Bool
    private var feed: EventFeed
    private let hasBar: Bool
    /// Whether the bar is on the present line.
    private var isOnLine = false
    private var last: Download?
    private var shown: (state: Download.State, time: Duration)?

    init(_ client: RunnerClient, _ id: String, _ showing: Display, printsPath: Bool) {
        (self.client, self.showing, self.printsPath) = (client, showing, printsPath)
        feed = EventFeed(client, DownloadCalls.show, DownloadID(id))
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
                // Only a runner that has answered once is waited for.
            }
            if let last, last.hasEnded {
                finish(last)
                return last.state == .done ? .success : .problemsFound
            }
            try await TimeSource.host.sleep(.seconds(1))
        }
    }

    /// Shows one stream; false where the reader of the output has gone.
    private mutating func read() async throws -> Bool {
        var (feed, copy) = (feed, self)
        defer { self = copy }
        return try await feed.read { event in
            let data = Array(event.data.utf8)
            guard let json = try? JSONValue(parsing: data, named: "event"),
                let download = try? Download(parsing: data, named: "event", toleratesUnknown: true)
            else { throw Failure.foreign(copy.client.socket) }
            copy.last = download
            return copy.showing.isJSON ? Console.print(json.text() + "\n") : copy.show(download)
        }
    }

    private mutating func show(_ download: Download) -> Bool {
        if hasBar {
            // Back to the start of the line, and erase the rest.
            isOnLine = true
            Console.printError("\r\(DownloadText.bar(download, width: TerminalWidth.now))\u{1b}[K")
            return true
        }
        let now = TimeSource.host.monotonic()
        if let shown, shown.state == download.state, now - shown.time < .seconds(5) { return true }
        shown = (download.state, now)
        let line = DownloadText.line(download, showing.paint)
        guard printsPath else { return Console.print(line) }
        Console.printError(line)
        return true
    }

    private mutating func leaveLine() {
        if isOnLine { Console.printError("\n") }
        isOnLine = false
    }

    private mutating func finish(_ download: Download) {
        guard !showing.isJSON else { return }
        leaveLine()
        if hasBar, download.state != .done { Console.printError("\(DownloadText.whole(download, showing.paint))") }
        if printsPath, let path = download.path { Console.print(path + "\n") }
    }
}
