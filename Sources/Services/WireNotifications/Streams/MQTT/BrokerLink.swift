import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

/// A connection to a broker, over TCP or a WebSocket.
enum BrokerLink: Sendable {
    case plain(ServerConnection)
    case socket(ServerSocket)

    func send(_ bytes: [UInt8]) {
        switch self {
        // A full buffer has an end: the broker reads nothing, and so does not respond to a ping.
        case .plain(let connection): _ = connection.send(bytes)
        case .socket(let socket): socket.send(bytes)
        }
    }

    /// Returns the next bytes; throws where the connection has ended.
    func receive() async throws(StreamEnd) -> [UInt8] {
        switch self {
        case .plain(let connection):
            do throws(Fault) { if let bytes = try await connection.receive() { return bytes } } catch {
                throw StreamEnd(error.reason)
            }
            var end = StreamEnd("the broker has closed the connection")
            end.isComplete = true
            throw end
        case .socket(let socket):
            switch await socket.receive() {
            case .binary(let bytes): return bytes
            case .text:
                socket.close(WebSocketClose(1_003))
                throw StreamEnd(.refused, "the broker sent a text message, expected binary ones")
            case .end(let socketEnd):
                var end = StreamEnd(socketEnd)
                end.isComplete = true
                throw end
            }
        }
    }

    func leave(within patience: Duration) async {
        switch self {
        case .plain(let connection): await connection.leave(within: patience)
        case .socket(let socket):
            socket.close(.normal)
            await socket.leave(within: patience)
        }
    }
}
