import Synchronization
import WireBase
import WireNetworkContract

/// The messages of a WebSocket that wait until missed notifications are stored.
///
/// Reading goes on meanwhile, so that pings are answered.
final class SocketInbox: Sendable {
    private struct State {
        var waiting: [ServerSocket.Received] = []
        var isOpen = false
        var bytes = 0
    }

    private let state = Mutex(State())
    /// Fires when no message waits any more, and each is taken at once.
    let opened = OneShot()
    /// Fires with the end of the connection.
    let ended = OneShot()
    /// Fires with the first stored message.
    let hasRead = OneShot()

    /// The number and the size of waiting messages beyond which no more are read.
    private static let most = (messages: 1_000, bytes: 8_388_608)

    /// Keeps a message while others wait; nil where it can be taken at once, otherwise whether it is the last.
    func add(_ received: ServerSocket.Received) -> Bool? {
        state.withLock { state in
            guard !state.isOpen else { return nil }
            state.waiting.append(received)
            switch received {
            case .text(let text): state.bytes += text.utf8.count
            case .binary(let bytes): state.bytes += bytes.count
            case .end: return true
            }
            return false
        }
    }

    /// Returns once more may be read.
    func waitForRoom() async {
        guard state.withLock({ $0.waiting.count >= Self.most.messages || $0.bytes >= Self.most.bytes }) else { return }
        await opened.wait()
    }

    /// The next waiting message; nil where none waits, and from then on messages can be taken at once.
    func next() -> ServerSocket.Received? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isOpen = true
            opened.fire()
            return nil
        }
    }
}
