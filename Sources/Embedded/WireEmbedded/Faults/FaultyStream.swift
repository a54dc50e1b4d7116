import Synchronization
import WireBase
import WireHTTP

/// A connection of another protocol, such as a WebSocket, whose server has a fault.
final class FaultyStream: ByteStream {
    enum Fault: Sendable {
        /// So many bytes a second.
        case slow(Int, TimeSource)
        /// The connection ends after so many bytes.
        case cut(after: Int)
        /// Nothing is sent after so many bytes; the connection stays open.
        case silent(after: Int)
    }

    /// Thrown to end the connection.
    struct Cut: Error {}

    private let stream: any ByteStream
    private let fault: Fault
    private let sent = Mutex(0)

    init(_ stream: any ByteStream, _ fault: Fault) { (self.stream, self.fault) = (stream, fault) }

    func read(upTo limit: ByteCount, within patience: Duration?) async throws -> [UInt8]? {
        try await stream.read(upTo: limit, within: patience)
    }

    func write(_ bytes: [UInt8], within patience: Duration?) async throws {
        switch fault {
        case .slow(let speed, let clock):
            let pace = Pace(speed)
            for piece in pace.pieces(of: bytes) {
                try await stream.write(piece, within: patience)
                try await clock.sleep(pace.pause(after: piece.count))
            }
        case .cut(let limit):
            let part = allowed(bytes, upTo: limit)
            if !part.isEmpty { try await stream.write(part, within: patience) }
            if part.count < bytes.count { throw Cut() }
        case .silent(let limit):
            let part = allowed(bytes, upTo: limit)
            if !part.isEmpty { try await stream.write(part, within: patience) }
        }
    }

    private func allowed(_ bytes: [UInt8], upTo limit: Int) -> [UInt8] {
        sent.withLock { sent in
            let part = Array(bytes.prefix(max(0, limit - sent)))
            sent += part.count
            return part
        }
    }

    func endWriting() { stream.endWriting() }
}

/// The pieces in which slow bytes are written: ten a second, or one byte whenever one is due.
struct Pace {
    private let speed: Int

    init(_ speed: Int) { self.speed = speed }

    func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        let size = max(1, speed / 10)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    func pause(after count: Int) -> Duration { .microseconds(1_000_000 * count / speed) }
}
