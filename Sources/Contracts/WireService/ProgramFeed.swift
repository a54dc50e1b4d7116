import Synchronization
package import WireBase

/// What a program reads from standard input as it comes; bounded, since it may read slowly or not at all.
package final class ProgramFeed: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isClosed = false
        var ring: (@Sendable () -> Void)?
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Holds so much that has not been read yet.
    package init(limit: ByteCount) { self.limit = limit.bytes }

    /// Never waits; false where there is no room for all of it, or nobody reads any more.
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

    /// It ends after what was offered.
    package func close() {
        let ring = state.withLock { state in
            state.isClosed = true
            return state.ring
        }
        ring?()
    }

    // MARK: For whoever writes it

    /// Rung when there is something again, and at the end.
    package func attach(_ ring: @escaping @Sendable () -> Void) { state.withLock { $0.ring = ring } }

    /// All there is, and whether that is the end.
    package func take() -> (bytes: [UInt8], isOver: Bool) {
        state.withLock { state in
            defer { state.waiting = [] }
            return (state.waiting, state.isClosed)
        }
    }

    /// Nobody reads any more.
    package func end() {
        state.withLock { state in (state.waiting, state.isClosed, state.ring) = ([], true, nil) }
    }
}
