import WireBase
import WireDownloadContract
import WireRuntime
import WireTelemetry

extension Corewire {
    /// A download and its state.
    public struct Download: Sendable, Hashable {
        /// The state of a download.
        public enum State: String, Sendable, Hashable {
            /// Waiting for its turn or for a condition; see ``Download/reason``.
            case waiting
            /// In progress.
            case running
            /// Paused by a caller.
            case paused
            /// The file is complete.
            case done
            /// Failed for good; see ``Download/reason``.
            case failed
            /// Cancelled by a caller.
            case cancelled
        }

        /// The id.
        public let id: String
        /// The URL.
        public let address: String
        /// The state.
        public let state: State
        /// The path of the file; nil until it is complete.
        public let path: String?
        /// The received bytes.
        public let received: Int
        /// The size in bytes, once the server has sent it.
        public let size: Int?
        /// The rate in bytes per second; nil where unknown.
        public let rate: Int?
        /// The remaining time at that rate.
        public let remaining: Duration?
        /// Why the download failed, or what it waits for.
        public let reason: String?

        /// Whether the download has ended.
        public var hasEnded: Bool { state == .done || state == .failed || state == .cancelled }

        init(_ download: WireDownloadContract.Download) {
            (id, address, path) = (download.id, download.address, download.path)
            (received, size, rate) = (download.received, download.size, download.rate)
            (remaining, reason) = (download.remaining.map { .seconds($0) }, download.reason)
            state = State(rawValue: download.state.rawValue) ?? .waiting
        }
    }

    /// The progress of a download until it has ended.
    public struct DownloadProgress: AsyncSequence, Sendable {
        /// The state of the download.
        public typealias Element = Download
        /// The stream cannot fail.
        public typealias Failure = Never

        let id: String
        let corewire: Corewire

        /// Begins with the current state.
        public func makeAsyncIterator() -> Iterator { Iterator(id: id, corewire: corewire) }

        /// The position of one subscriber in the stream.
        public struct Iterator: AsyncIteratorProtocol {
            /// The state of the download.
            public typealias Element = Download
            /// The stream cannot fail.
            public typealias Failure = Never

            private let id: String
            private let corewire: Corewire
            private var present: AsyncStream<WireDownloadContract.Download>.Iterator?
            private var hasEnded = false

            fileprivate init(id: String, corewire: Corewire) {
                (self.id, self.corewire) = (id, corewire)
            }

            /// The next state; nil after the end, and for an unknown id.
            public mutating func next() async -> Download? {
                while !Task.isCancelled, !hasEnded {
                    if let told = await present?.next(isolation: #isolation) {
                        hasEnded = told.hasEnded
                        return Download(told)
                    }
                    if corewire.runner.isStopping { return nil }
                    // Subscribes before reading the state, so that no change is missed.
                    var events = corewire.runner.events.watch().makeAsyncIterator()
                    if let fetching = corewire.fetching {
                        // Continues in the next generation after a change.
                        let isKnown = fetching.find(id) != nil
                        if isKnown, present == nil {
                            present = fetching.watch(id).makeAsyncIterator()
                            continue
                        }
                        if !isKnown { return nil }
                    }
                    present = nil
                    if await events.next() == nil { return nil }
                }
                return nil
            }
        }
    }
}

/// An iterator belongs to one subscriber: another task creates its own.
@available(*, unavailable)
extension Corewire.DownloadProgress.Iterator: Sendable {}
