import Synchronization

/// How tasks tell the thread that transfers what they want.
final class Mailbox: Sendable {
    enum Message: Sendable {
        case start(Exchange)
        /// The exchange has changed: it was cancelled, its body was read, or more of its upload is there.
        case look(Exchange)
        /// An interface, an address or a route of this machine has changed.
        case networkChanged
        case stop
    }

    private struct Box {
        var messages: [Message] = []
        var isClosed = false
    }

    private let multi: Multi
    private let box = Mutex(Box())

    init(waking multi: Multi) {
        self.multi = multi
    }

    /// False when nobody will read it any more.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (isTaken, isFirst) = box.withLock { box in
            guard !box.isClosed else { return (false, false) }
            box.messages.append(message)
            return (true, box.messages.count == 1)
        }
        if isFirst { multi.wake() }
        return isTaken
    }

    func take() -> [Message] {
        var messages: [Message] = []
        box.withLock { swap(&messages, &$0.messages) }
        return messages
    }

    /// Takes what is there and lets nothing more in.
    func close() -> [Message] {
        box.withLock { box in
            box.isClosed = true
            defer { box.messages = [] }
            return box.messages
        }
    }
}
