import Synchronization

/// Who watches a download in this process.
final class DownloadWatches: Sendable {
    private struct State {
        var isOver = false
        var next = 0
        var watchers: [Int: (id: String, told: AsyncStream<Void>.Continuation)] = [:]
    }

    private let state = Mutex(State())

    /// Tells whenever something may have changed of a download; ends with the service, or when nobody listens any more.
    func watch(_ id: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.next += 1
            state.watchers[state.next] = (id, continuation)
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.watchers.removeValue(forKey: number) }
        }
        continuation.yield()
        return stream
    }

    func tell(_ id: String) {
        let told = state.withLock { state in state.watchers.values.filter { $0.id == id }.map(\.told) }
        for watcher in told { watcher.yield() }
    }

    func end() {
        let told = state.withLock { state in
            state.isOver = true
            defer { state.watchers = [:] }
            return state.watchers.values.map(\.told)
        }
        for watcher in told { watcher.finish() }
    }
}
