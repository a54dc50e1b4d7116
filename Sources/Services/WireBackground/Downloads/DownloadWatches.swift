import Synchronization
import WireDownloadContract

/// The subscribers of downloads in this process, notified of changes until the download has ended.
final class DownloadWatches: Sendable {
    /// The callback of a subscriber; nil at the end.
    typealias Subscriber = @Sendable (Download?) -> Void

    private struct State {
        var isOver = false
        var next = 0
        var watchers: [Int: (id: String, tell: Subscriber)] = [:]
    }

    private let state = Mutex(State())

    /// Adds a subscriber; nil where the download has ended.
    func add(_ id: String, _ tell: @escaping Subscriber) -> Int? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            state.next += 1
            state.watchers[state.next] = (id, tell)
            return state.next
        }
    }

    func remove(_ number: Int) { state.withLock { _ = $0.watchers.removeValue(forKey: number) } }

    func notify(_ download: Download) {
        let told = state.withLock { state in state.watchers.filter { $0.value.id == download.id } }
        for (number, watcher) in told {
            watcher.tell(download)
            guard download.hasEnded else { continue }
            watcher.tell(nil)
            remove(number)
        }
    }

    func end() {
        let told = state.withLock { state in
            state.isOver = true
            defer { state.watchers = [:] }
            return state.watchers.values.map(\.tell)
        }
        for tell in told { tell(nil) }
    }
}

extension DownloadsPart {
    /// A stream of a download's state; slow subscribers see the latest.
    func watch(_ id: String) -> AsyncStream<Download> {
        let (stream, continuation) = AsyncStream.makeStream(of: Download.self, bufferingPolicy: .bufferingNewest(1))
        let number = watches.add(id) { download in
            guard let download else { return continuation.finish() }
            continuation.yield(download)
        }
        guard let number, let download = find(id) else {
            if let number { watches.remove(number) }
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [watches] _ in watches.remove(number) }
        continuation.yield(download)
        if download.hasEnded { continuation.finish() }
        return stream
    }
}
