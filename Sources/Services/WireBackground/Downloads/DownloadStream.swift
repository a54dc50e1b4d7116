import WireBase
import WireDownloadContract
import WireHTTP
import WireService

/// The progress of a download as server-sent events, until it has ended.
struct DownloadStream {
    private let part: DownloadsPart
    private let id: String

    /// The heartbeat interval of a silent stream.
    private static let heartbeat = Duration.seconds(15)

    init(_ part: DownloadsPart, _ id: String) {
        (self.part, self.id) = (part, id)
    }

    func response() -> Response { .events { writer in try await write(to: writer) } }

    private func write(to writer: any BodyWriter) async throws {
        let changes = part.watch(id)
        let sleep = part.present.host.clock.sleep
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await download in changes {
                    try await writer.write(ServerSentEvent(event: download.state.rawValue, download).bytes)
                }
            }
            group.addTask {
                while true {
                    try await sleep(Self.heartbeat)
                    try await writer.write(ServerSentEvent.heartbeat)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
