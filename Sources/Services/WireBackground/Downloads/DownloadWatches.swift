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
    /// Held while subscribers are notified, so that the state sent last is the present one.
    private let telling = Mutex(())

    /// Adds a subscriber, and sends it the present state; nil where there is no such download, or no subscriber any more.
    func add(_ id: String, _ download: @autoclosure () -> Download?, _ tell: @escaping Subscriber) -> Int? {
        telling.withLock { _ in
            let number: Int? = state.withLock { state in
                guard !state.isOver else { return nil }
                state.next += 1
                state.watchers[state.next] = (id, tell)
                return state.next
            }
            let download = number == nil ? nil : download()
            download.map(tell)
            guard let number, let download, !download.hasEnded else {
                tell(nil)
                if let number { remove(number) }
                return nil
            }
            return number
        }
    }

    func remove(_ number: Int) { state.withLock { _ = $0.watchers.removeValue(forKey: number) } }

    /// Sends the state of a download, which is read while no other one is being sent.
    func notify(_ download: @autoclosure () -> Download?) {
        telling.withLock { _ in
            guard let download = download() else { return }
            let told = state.withLock { state in state.watchers.filter { $0.value.id == download.id } }
            for (number, watcher) in told {
                watcher.tell(download)
                guard download.hasEnded else { continue }
                watcher.tell(nil)
                remove(number)
            }
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
        let number = watches.add(id, find(id)) { download in
            guard let download else { return continuation.finish() }
            continuation.yield(download)
        }
        if let number { continuation.onTermination = { [watches] _ in watches.remove(number) } }
        return stream
    }
}
