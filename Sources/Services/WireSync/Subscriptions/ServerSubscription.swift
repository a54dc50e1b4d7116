import Synchronization
import WireBase
package import WireConfig

/// An event of a subscription.
package enum SubscriptionEvent: Sendable {
    case next(JSONValue)
    /// Events may be missing before the next one.
    case gap(Gap)
    /// The server has rejected the subscription, or it has failed there; this is the last event.
    case error([JSONValue])
    /// The server cannot be reached, or never in this way; this is the last event.
    case failed(String)
    /// The server has completed it.
    case complete

    package enum Gap: Sendable, Hashable {
        /// The connection was lost and made again, and the subscription was repeated.
        case reconnected
        /// The number of events dropped because they were not taken in time.
        case dropped(Int)
    }

    /// Whether it is the last event.
    package var isLast: Bool {
        switch self {
        case .next, .gap: false
        case .error, .failed, .complete: true
        }
    }
}

/// A running subscription: a sequence of events for one task; it ends when released.
package final class ServerSubscription: AsyncSequence, AsyncIteratorProtocol, Sendable {
    package typealias Element = SubscriptionEvent
    package typealias Failure = Never

    private let feed: SubscriptionFeed
    private let letGo: @Sendable () -> Void
    private let find: @Sendable () -> SubscriptionLink

    init(
        _ feed: SubscriptionFeed,
        link: @escaping @Sendable () -> SubscriptionLink,
        letGo: @escaping @Sendable () -> Void
    ) {
        (self.feed, find, self.letGo) = (feed, link, letGo)
    }

    /// The present connection.
    package var link: SubscriptionLink { find() }

    deinit { letGo() }

    /// The next event; nil after the last one, when subscriptions end, and when the task is cancelled.
    package func next() async -> SubscriptionEvent? { await feed.next() }

    package func makeAsyncIterator() -> ServerSubscription { self }

    /// Ends it.
    package func cancel() {
        letGo()
        feed.end()
    }
}

/// The queued events of one subscription; beyond the limit the oldest are dropped and counted.
package final class SubscriptionFeed: Sendable {
    fileprivate struct State {
        var events: [(event: SubscriptionEvent, size: Int)] = []
        var size = 0
        var dropped = 0
        var isOver = false
    }

    private let state = Mutex(State())
    private let wakeup = Wakeup()

    private static let most = 1_000
    private static let mostBytes = 4 * 1_048_576

    package init() {}

    /// Adds an event with the size of its text.
    package func add(_ event: SubscriptionEvent, size: Int) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.events.append((event, size))
            state.size += size
            if state.events.count > Self.most || state.size > Self.mostBytes, state.events.count > 1 {
                state.makeRoom()
            }
            state.isOver = event.isLast
        }
        wakeup.wake()
    }

    /// Ends the events.
    package func end() {
        state.withLock { $0.isOver = true }
        wakeup.wake()
    }

    package func next() async -> SubscriptionEvent? {
        while true {
            switch take() {
            case .some(let event): return event
            case .none: if await wakeup.next() == nil { return nil }
            }
        }
    }

    /// The next event, or the end; nil where there is none yet.
    private func take() -> SubscriptionEvent?? {
        state.withLock { state in
            if state.dropped > 0 {
                defer { state.dropped = 0 }
                return .some(.gap(.dropped(state.dropped)))
            }
            guard !state.events.isEmpty else { return state.isOver ? .some(nil) : nil }
            let (event, size) = state.events.removeFirst()
            state.size -= size
            return .some(event)
        }
    }
}

extension SubscriptionFeed.State {
    /// Drops the older half, so that a slow consumer costs no more than a fast one.
    fileprivate mutating func makeRoom() {
        let count = (events.count + 1) / 2
        for (event, size) in events.prefix(count) {
            if case .next = event { dropped += 1 }
            self.size -= size
        }
        events.removeFirst(count)
    }
}
