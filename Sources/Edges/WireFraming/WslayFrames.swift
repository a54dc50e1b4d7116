import Synchronization
import WireHTTP

/// The frames of a connection, usable by several tasks.
///
/// libwslay is called under the lock; it does not block, and calls back only to the context.
final class WslayFrames: WebSocketFrames {
    private let context: Mutex<WslayContext>

    init(_ context: consuming sending WslayContext) { self.context = Mutex(context) }

    func consume(_ bytes: [UInt8]) -> [WebSocketEvent] { context.withLock { $0.consume(bytes) } }

    func send(_ text: String) -> Bool { context.withLock { $0.queue(.text, Array(text.utf8)) } }

    func send(_ bytes: [UInt8]) -> Bool { context.withLock { $0.queue(.binary, bytes) } }

    func ping() -> Bool { context.withLock { $0.queue(.ping, []) } }

    func close(_ close: WebSocketClose) -> Bool { context.withLock { $0.close(close) } }

    func takeOutgoing() -> [UInt8] { context.withLock { $0.takeOutgoing() } }
}
