import WireAddonContract
import WireBase
import WireConfig
import WireHTTP

/// Streams the lines of an add-on as server-sent events: stored ones first, then new ones.
struct AddonLogStream {
    let addonLog: AddonLog
    let clock: TimeSource
    /// The id of the last line that the client has; later ones are sent.
    let last: String?

    /// The interval of heartbeats on a silent stream.
    private static let heartbeat = Duration.seconds(15)

    func response() -> Response { .events { writer in try await write(to: writer) } }

    private func write(to writer: any BodyWriter) async throws {
        try await writer.write(ServerSentEvent.heartbeat)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await send(to: writer) }
            group.addTask {
                while true {
                    try await clock.sleep(Self.heartbeat)
                    try await writer.write(ServerSentEvent.heartbeat)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func send(to writer: any BodyWriter) async throws {
        var read = last.map(addonLog.number) ?? 0
        for await _ in addonLog.news() {
            for line in addonLog.lines(after: read) {
                let missing = line.number - read - 1
                // Lines from before the first request are not reported as missing.
                if read > 0, missing > 0 {
                    let data = AddonLineGap(missing: missing).json.text()
                    try await writer.write(ServerSentEvent(event: "gap", data: data).bytes)
                }
                let event = ServerSentEvent(id: addonLog.id(of: line), event: "line", data: line.content.json.text())
                try await writer.write(event.bytes)
                read = line.number
            }
        }
    }
}
