import Synchronization
import WireBase
import WireHTTP

/// A connection of the broker, over TCP or a WebSocket.
protocol BrokerTransport: Sendable {
    /// Returns the next bytes; nil at the end of the connection.
    func receive() async -> [UInt8]?
    /// Sends bytes without waiting; a client that does not read loses its connection.
    func send(_ bytes: [UInt8])
    /// The size of the send buffer.
    var unsent: ByteCount { get }
    /// Closes the connection after the unsent bytes.
    func close()
}

/// A WebSocket with the subprotocol `mqtt`: packets are in binary messages, however they are divided.
struct SocketTransport: BrokerTransport {
    let socket: AcceptedSocket

    func receive() async -> [UInt8]? {
        guard case .binary(let bytes) = await socket.receive() else {
            // A text is not allowed (MQTT 5, section 6).
            socket.close(WebSocketClose(1_003))
            return nil
        }
        return bytes
    }

    func send(_ bytes: [UInt8]) { socket.send(bytes) }

    var unsent: ByteCount { socket.unsent }

    func close() { socket.close(.normal) }
}

/// A TCP connection.
final class StreamTransport: BrokerTransport {
    private struct State {
        var unsent: [UInt8] = []
        /// Whether to close after the unsent bytes.
        var isEnding = false
    }

    private let stream: any ByteStream
    private let state = Mutex(State())
    private let outgoing = Wakeup()

    private static let piece = 65_536
    /// The size limit of the send buffer.
    private static let limit = ByteCount.mebibytes(4)
    /// The time in which the client must read a piece.
    private static let patience = Duration.seconds(10)

    private init(_ stream: any ByteStream) { self.stream = stream }

    /// Serves a connection; the work is cancelled when nothing more can be sent.
    static func serve(on stream: any ByteStream, _ work: @escaping @Sendable (StreamTransport) async -> Void) async {
        let transport = StreamTransport(stream)
        await withDiscardingTaskGroup { group in
            let working = OneShot()
            group.addTask {
                await transport.write()
                working.fire()
            }
            await withTaskGroup(of: Void.self) { turns in
                turns.addTask { await work(transport) }
                turns.addTask { await working.wait() }
                await turns.next()
                turns.cancelAll()
            }
            transport.close()
        }
    }

    func receive() async -> [UInt8]? { try? await stream.read(upTo: .bytes(Self.piece), within: nil) }

    func send(_ bytes: [UInt8]) {
        state.withLock { state in
            guard !state.isEnding else { return }
            guard state.unsent.count + bytes.count <= Self.limit.bytes else {
                (state.unsent, state.isEnding) = ([], true)
                return
            }
            state.unsent += bytes
        }
        outgoing.wake()
    }

    var unsent: ByteCount { .bytes(state.withLock { $0.unsent.count }) }

    func close() {
        state.withLock { $0.isEnding = true }
        outgoing.wake()
    }

    /// Writes until the end, or until the client does not read.
    private func write() async {
        while true {
            let (bytes, isLast) = state.withLock { state in
                defer { state.unsent = [] }
                return (state.unsent, state.isEnding)
            }
            for start in stride(from: 0, to: bytes.count, by: Self.piece) {
                let piece = Array(bytes[start..<min(start + Self.piece, bytes.count)])
                do { try await stream.write(piece, within: Self.patience) } catch {
                    state.withLock { ($0.unsent, $0.isEnding) = ([], true) }
                    return
                }
            }
            guard bytes.isEmpty else { continue }
            if isLast { return stream.endWriting() }
            guard await outgoing.next() != nil else { return }
        }
    }
}
