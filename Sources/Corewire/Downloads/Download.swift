import WireBase
import WireDownloadContract
import WireRuntime
import WireTelemetry

extension Corewire {
    /// How it is with a file that is wanted.
    public struct Download: Sendable, Hashable {
        /// What may become of it.
        public enum State: String, Sendable, Hashable {
            /// Its turn has not come, or something is missing that may come: ``Download/reason`` tells.
            case waiting
            /// It comes.
            case running
            /// Somebody has paused it.
            case paused
            /// The file is here, whole.
            case done
            /// It can never be had: ``Download/reason`` tells why.
            case failed
            /// Somebody has given it up.
            case cancelled
        }

        /// What it is known by.
        public let id: String
        /// Where it comes from.
        public let address: String
        /// How it is.
        public let state: State
        /// Where the file is; nil until it is whole.
        public let path: String?
        /// How many bytes are here.
        public let received: Int
        /// How many it has, once the server has told.
        public let size: Int?
        /// How many bytes come in a second; nil where that cannot be told.
        public let rate: Int?
        /// How long the rest takes at that rate.
        public let remaining: Duration?
        /// Why it failed, or what it waits for.
        public let reason: String?

        /// Whether nothing more becomes of it by itself.
        public var hasEnded: Bool { state == .done || state == .failed || state == .cancelled }

        init(_ download: WireDownloadContract.Download) {
            (id, address, path) = (download.id, download.address, download.path)
            (received, size, rate) = (download.received, download.size, download.rate)
            (remaining, reason) = (download.remaining.map { .seconds($0) }, download.reason)
            state = State(rawValue: download.state.rawValue) ?? .waiting
        }
    }

    /// How a download gets on, until it has ended.
    public struct DownloadProgress: AsyncSequence, Sendable {
        /// What is told.
        public typealias Element = Download
        /// It cannot fail.
        public typealias Failure = Never

        let id: String
        let corewire: Corewire

        /// Begins with how it is now.
        public func makeAsyncIterator() -> Iterator { Iterator(id: id, corewire: corewire) }

        /// One watcher's place in what is told.
        public struct Iterator: AsyncIteratorProtocol {
            /// What is told.
            public typealias Element = Download
            /// It cannot fail.
            public typealias Failure = Never

            private let id: String
            private let corewire: Corewire
            private var present: AsyncStream<WireDownloadContract.Download>.Iterator?
            private var hasEnded = false

            fileprivate init(id: String, corewire: Corewire) {
                (self.id, self.corewire) = (id, corewire)
            }

            /// How it is next; nil after its end, and where nothing is known of it.
            public mutating func next() async -> Download? {
                while !Task.isCancelled, !hasEnded {
                    if let told = await present?.next(isolation: #isolation) {
                        hasEnded = told.hasEnded
                        return Download(told)
                    }
                    if corewire.runner.isStopping { return nil }
                    // Before anything is looked at: what happens from here on is not missed.
                    var events = corewire.runner.events.watch().makeAsyncIterator()
                    if let fetching = corewire.fetching {
                        // Where another generation has taken over, it goes on there.
                        let isKnown = fetching.look(id) != nil
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

/// A place is one watcher's: another task begins its own.
@available(*, unavailable)
extension Corewire.DownloadProgress.Iterator: Sendable {}
