import Synchronization
package import WireBase

/// A bounded buffer for the standard input of a child process.
package final class ProgramFeed: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isClosed = false
        var ring: (@Sendable () -> Void)?
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Makes a buffer with a limit for unread bytes.
    package init(limit: ByteCount) { self.limit = limit.bytes }

    /// Appends bytes without waiting; returns false where there is no room for all of them, or the reader has ended.
    package func offer(_ bytes: [UInt8]) -> Bool {
        let (isTaken, ring) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isClosed, state.waiting.count + bytes.count <= limit else { return (false, nil) }
            let wasEmpty = state.waiting.isEmpty
            state.waiting += bytes
            return (true, wasEmpty ? state.ring : nil)
        }
        ring?()
        return isTaken
    }

    /// Ends the input after the appended bytes.
    package func close() {
        let ring = state.withLock { state in
            state.isClosed = true
            return state.ring
        }
        ring?()
    }

    // MARK: Reader

    /// Sets a callback for new bytes and for the end.
    package func attach(_ ring: @escaping @Sendable () -> Void) { state.withLock { $0.ring = ring } }

    /// Returns all buffered bytes, and whether the input has ended.
    package func dequeue() -> (bytes: [UInt8], isOver: Bool) {
        state.withLock { state in
            defer { state.waiting = [] }
            return (state.waiting, state.isClosed)
        }
    }

    /// Marks the reader as ended.
    package func end() {
        state.withLock { state in (state.waiting, state.isClosed, state.ring) = ([], true, nil) }
    }
}
