import WireConfig
import WireHTTP
import WireRuntime
import WireSync
import WireSyncContract
import WireTelemetry

extension Corewire {
    /// An update of a watched query.
    public enum SyncUpdate<Value: Sendable>: Sendable {
        /// A new result, which differs from the previous one.
        case answer(SyncResult<Value>)
        /// The query failed or its result could not be decoded; the watch continues.
        case failure(CorewireError)
    }

    /// The results of a query, now and whenever its data changes.
    ///
    /// Continues across reloads and switches, and ends after ``Corewire/stop()`` and for a cancelled task. A slow
    /// subscriber may miss intermediate results.
    public struct SyncUpdates<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// An update.
        public typealias Element = SyncUpdate<Value>
        /// Why the watch cannot start: the section, the operation or its variables.
        public typealias Failure = CorewireError

        let corewire: Corewire
        let name: String
        let variables: JSONValue?
        let policy: CachePolicy?

        /// Begins with the current result.
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                source: FeedSource(corewire) { [self] service throws(SyncFailure) in
                    try service.watching(name, variables, policy: policy)
                }
            )
        }

        /// The position of one subscriber in the stream.
        public struct Iterator: AsyncIteratorProtocol {
            /// An update.
            public typealias Element = SyncUpdate<Value>
            /// Why the watch cannot start.
            public typealias Failure = CorewireError

            fileprivate var source: FeedSource<WatchEvent>

            /// The next result or failure; nil after the end.
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

    /// A message of a subscription.
    public enum SyncMessage<Value: Sendable>: Sendable {
        /// The server has sent a result.
        case next(SyncResult<Value>)
        /// Messages may be missing before the next one, because the connection was lost, they were not read in time, or
        /// the services changed. Query the data again.
        case gap
    }

    /// The messages of a subscription.
    ///
    /// Continues across reloads, switches and sign-ins, each of which is a gap, and ends when the server completes it,
    /// after ``Corewire/stop()``, and for a cancelled task.
    public struct SyncMessages<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// A message.
        public typealias Element = SyncMessage<Value>
        /// Why the subscription cannot start or continue.
        public typealias Failure = CorewireError

        let corewire: Corewire
        let name: String
        let variables: JSONValue?

        /// Subscribes on the first call of `next()`.
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                source: FeedSource(corewire) { [self] service throws(SyncFailure) in
                    try service.subscribing(name, variables)
                }
            )
        }

        /// The position of one subscriber in the stream.
        public struct Iterator: AsyncIteratorProtocol {
            /// A message.
            public typealias Element = SyncMessage<Value>
            /// Why the subscription cannot start or continue.
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
                    let reason = errors.first?["message"]?.string ?? "the server has rejected the subscription"
                    throw CorewireError(.refused, reason)
                case .failure(let failure):
                    // The service or the user has changed.
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

/// An iterator belongs to one subscriber: another task creates its own.
@available(*, unavailable)
extension Corewire.SyncUpdates.Iterator: Sendable {}

/// An iterator belongs to one subscriber: another task creates its own.
@available(*, unavailable)
extension Corewire.SyncMessages.Iterator: Sendable {}

/// The feeds of successive services.
struct FeedSource<Event: Sendable> {
    let corewire: Corewire
    private let open: @Sendable (SyncService) throws(SyncFailure) -> SyncFeed<Event>
    private var present: (service: SyncService, feed: SyncFeed<Event>)?
    private var former: SyncService?

    init(_ corewire: Corewire, _ open: @escaping @Sendable (SyncService) throws(SyncFailure) -> SyncFeed<Event>) {
        (self.corewire, self.open) = (corewire, open)
    }

    /// Forgets a feed that has ended with its service; the next one comes from the current service.
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
            // Subscribes before reading the state, so that no change is missed.
            var events = corewire.runner.events.watch().makeAsyncIterator()
            guard !corewire.runner.isStopping else {
                guard former == nil else { return nil }
                throw .stopped
            }
            if let service = corewire.runner.find(SyncService.self), service !== former {
                present = (service, try CorewireError.wrapping { () throws(SyncFailure) in try open(service) })
                continue
            }
            guard former != nil else { throw CorewireError(without: .sync, in: corewire.runner.status) }
            // The service may appear with another generation, or after a restart.
            if await events.next() == nil { return nil }
        }
        return nil
    }
}
