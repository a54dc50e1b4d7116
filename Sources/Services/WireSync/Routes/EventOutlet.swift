import WireBase
import WireGraphQL
import WireHTTP

/// Writes events one after the other, also for slow readers; drops them once the reader is gone.
actor EventOutlet {
    private let writer: any BodyWriter
    private let mutex = AsyncMutex()
    private(set) var isGone = false

    init(_ writer: any BodyWriter) { self.writer = writer }

    func send(_ message: StreamMessage) async {
        await write(ServerSentEvent(event: message.name, data: message.data).bytes)
    }

    func write(_ bytes: [UInt8]) async {
        await mutex.alone {
            guard !isGone else { return }
            do { try await writer.write(bytes) } catch { isGone = true }
        }
    }

    /// Sends heartbeats until the reader is gone.
    func beat(_ clock: TimeSource) async {
        while !isGone, (try? await clock.sleep(.seconds(15))) != nil { await write(ServerSentEvent.heartbeat) }
    }
}
