import WireConfig
import WireHTTP
import WireRuntime
import WireSync
import WireSyncContract
import WireTelemetry

extension Corewire {
    /// What a watcher of a query is told.
    public enum SyncUpdate<Value: Sendable>: Sendable {
        /// A whole answer, which differs from the one before.
        case answer(SyncResult<Value>)
        /// The server could not be asked, or the answer not be read; the watch goes on.
        case failure(CorewireError)
    }

    /// The answers to a query, now and whenever its data change.
    ///
    /// It goes on over reloads and switches of the environment, and ends after ``Corewire/stop()`` and for a cancelled task.
    /// Where answers come faster than they are taken, those in between may be left out.
    public struct SyncUpdates<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// What is told.
        public typealias Element = SyncUpdate<Value>
        /// Why it cannot begin: the section, the operation or its variables.
        public typealias Failure = CorewireError

        let corewire: Corewire
        let name: String
        let variables: JSONValue?
        let policy: CachePolicy?

        /// Begins with the answer now.
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                source: FeedSource(corewire) { [self] service throws(SyncFailure) in
                    try service.watching(name, variables, policy: policy)
                }
            )
        }

        /// One watcher's place in what is told.
        public struct Iterator: AsyncIteratorProtocol {
            /// What is told.
            public typealias Element = SyncUpdate<Value>
            /// Why it cannot begin.
            public typealias Failure = CorewireError

            fileprivate var source: FeedSource<WatchEvent>

            /// The next answer or failure; nil after the end.
            public mutating func next() async throws(CorewireError) -> SyncUpdate<Value>? {
                switch try await source.next() {
                case .answer(let answer):
                    do throws(CorewireError) {
                        return .answer(try Sync.result(answer))
                    } catch {
                        return .failure(error)
                    }
                case .failure(let failure): return .failure(CorewireError(failure))
                case nil: return nil
                }
            }
        }
    }

    /// What a subscriber is told.
    public enum SyncMessage<Value: Sendable>: Sendable {
        /// The server has sent something.
        case next(SyncResult<Value>)
        /// Messages may be missing before the next one: a connection was lost, they were not taken in time, or the services
        /// were changed. What matters is to be queried.
        case gap
    }

    /// What a subscription brings.
    ///
    /// It goes on over reloads, switches of the environment and sign-ins, each of which is a gap, and ends where the server
    /// has no more, after ``Corewire/stop()``, and for a cancelled task.
    public struct SyncMessages<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// What is told.
        public typealias Element = SyncMessage<Value>
        /// Why it cannot begin or go on.
        public typealias Failure = CorewireError

        let corewire: Corewire
        let name: String
        let variables: JSONValue?

        /// Begins to subscribe with the first call of its `next()`.
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                source: FeedSource(corewire) { [self] service throws(SyncFailure) in
                    try service.subscribing(name, variables)
                }
            )
        }

        /// One subscriber's place in what is told.
        public struct Iterator: AsyncIteratorProtocol {
            /// What is told.
            public typealias Element = SyncMessage<Value>
            /// Why it cannot begin or go on.
            public typealias Failure = CorewireError

            fileprivate var source: FeedSource<SyncEvent>
            private var hasEnded = false

            fileprivate init(source: FeedSource<SyncEvent>) { self.source = source }

            /// The next message; nil after the end.
            public mutating func next() async throws(CorewireError) -> SyncMessage<Value>? {
                guard !hasEnded else { return nil }
                do throws(CorewireError) {
                    return try await message()
                } catch {
                    hasEnded = true
                    throw error
                }
            }

            private mutating func message() async throws(CorewireError) -> SyncMessage<Value>? {
                switch try await source.next(endsByItself: true) {
                case .next(let answer): return .next(try Sync.result(answer))
                case .gap: return .gap
                case .refused(let errors):
                    let reason = errors.first?["message"]?.string ?? "the server has refused the subscription"
                    throw CorewireError(.refused, reason)
                case .failure(let failure):
                    // The service, or the user, is another one now.
                    guard failure.kind == .ending, !source.corewire.runner.isStopping else {
                        throw CorewireError(failure)
                    }
                    source.forget()
                    return .gap
                case nil:
                    hasEnded = true
                    return nil
                }
            }
        }
    }
}

/// A place is one watcher's: another task begins its own.
@available(*, unavailable)
extension Corewire.SyncUpdates.Iterator: Sendable {}

/// A place is one subscriber's: another task begins its own.
@available(*, unavailable)
extension Corewire.SyncMessages.Iterator: Sendable {}

/// Feeds of the services that run, one after the other.
struct FeedSource<Event: Sendable> {
    let corewire: Corewire
    private let open: @Sendable (SyncService) throws(SyncFailure) -> SyncFeed<Event>
    private var present: (service: SyncService, feed: SyncFeed<Event>)?
    private var former: SyncService?

    init(_ corewire: Corewire, _ open: @escaping @Sendable (SyncService) throws(SyncFailure) -> SyncFeed<Event>) {
        (self.corewire, self.open) = (corewire, open)
    }

    /// The feed has ended with its service; the next one begins with the one that runs.
    mutating func forget() {
        if let service = present?.service, service.isEnding { former = service }
        present = nil
    }

    /// The next event; nil after the end.
    mutating func next(endsByItself: Bool = false) async throws(CorewireError) -> Event? {
        while !Task.isCancelled {
            if let (service, feed) = present {
                if let event = await feed.next() { return event }
                guard !Task.isCancelled, !corewire.runner.isStopping else { return nil }
                present = nil
                if endsByItself, corewire.runner.find(SyncService.self) === service { return nil }
                former = service
            }
            // Before anything is looked at: what happens from here on is not missed.
            var events = corewire.runner.events.watch().makeAsyncIterator()
            guard !corewire.runner.isStopping else {
                guard former == nil else { return nil }
                throw .stopped
            }
            if let service = corewire.runner.find(SyncService.self), service !== former {
                do throws(SyncFailure) {
                    present = (service, try open(service))
                } catch {
                    throw CorewireError(error)
                }
                continue
            }
            guard former != nil else { throw CorewireError(without: .sync, in: corewire.runner.status) }
            // Another generation, or the service made again after a failure, brings one.
            if await events.next() == nil { return nil }
        }
        return nil
    }
}
