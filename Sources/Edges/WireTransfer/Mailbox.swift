import Synchronization

/// The messages from tasks to the transfer thread.
final class Mailbox: Sendable {
    enum Message: Sendable {
        case start(TransferExchange)
        /// The exchange has changed: it was cancelled, its body was read, or its upload has more bytes.
        case poll(TransferExchange)
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

    /// Posts a message; returns false where the thread has ended.
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

    func dequeue() -> [Message] {
        var messages: [Message] = []
        box.withLock { swap(&messages, &$0.messages) }
        return messages
    }

    /// Returns the messages and accepts no more.
    func close() -> [Message] {
        box.withLock { box in
            box.isClosed = true
            defer { box.messages = [] }
            return box.messages
        }
    }
}
