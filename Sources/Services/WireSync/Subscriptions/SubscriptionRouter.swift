import Synchronization
import WireConfig
package import WireGraphQL

/// Brings what connections deliver to the subscriptions, each event once and in its order.
///
/// While two connections deliver, the older one is told; what the newer one brings is kept, and told once the older one is
/// left, without what the older one has brought as well.
package final class SubscriptionRouter: Sendable {
    fileprivate struct Route {
        let request: GraphQLRequest
        let feed: SubscriptionFeed
        /// Whether a connection that has ended had it: what happened in between was missed.
        var wasInterrupted = false
        /// How often the older connection has brought each result that the newer one has not brought yet.
        var seen: [Int: Int] = [:]
        /// What the newer one has brought.
        var ahead: [(event: SocketClientSession.Event, text: Int, size: Int)] = []
        var aheadSize = 0
    }

    fileprivate struct State {
        var routes: [Int: Route] = [:]
        var lastKey = 0
        var current: Int?
        var connections: [Int: any SubscriptionConnection] = [:]
        /// Those whose server may have been told of the subscriptions.
        var begun: Set<Int> = []
        /// Those that the server has accepted.
        var ready: Set<Int> = []
        var isOver = false
    }

    private let state = Mutex(State())
    /// How much of a newer connection is kept, for each subscription.
    private static let mostAhead = 4 * 1_048_576

    // MARK: Subscriptions

    package init() {}

    package var count: Int { state.withLock { $0.routes.count } }

    /// Whether a server has accepted a connection that still stands.
    var isConnected: Bool { state.withLock { !$0.ready.isEmpty } }

    /// Adds a subscription, on all connections; nil where subscriptions have ended.
    package func add(_ request: GraphQLRequest, _ feed: SubscriptionFeed) -> Int? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            state.lastKey += 1
            state.routes[state.lastKey] = Route(request: request, feed: feed)
            for connection in state.connections.values { connection.subscribe(state.lastKey, request) }
            return state.lastKey
        }
    }

    package func remove(_ key: Int) {
        state.withLock { state in
            guard state.routes.removeValue(forKey: key) != nil else { return }
            for connection in state.connections.values { connection.unsubscribe(key) }
        }
    }

    /// Ends all subscriptions with an event, or without one for good.
    package func end(with event: SubscriptionEvent?) {
        let routes = state.withLock { state in
            if event == nil { state.isOver = true }
            defer { state.routes = [:] }
            return state.routes
        }
        for route in routes.values {
            if let event { route.feed.add(event, size: 0) } else { route.feed.end() }
        }
    }

    // MARK: Connections

    /// A connection is about to open: it gets all subscriptions.
    package func opens(_ number: Int, _ connection: any SubscriptionConnection) {
        state.withLock { state in
            state.connections[number] = connection
            for (key, route) in state.routes { connection.subscribe(key, route.request) }
        }
    }

    package func ended(_ number: Int) {
        state.withLock { state in
            state.connections[number] = nil
            state.begun.remove(number)
            if let current = state.current, number > current { state.forgetSuccessor() }
            // Where another one stands already, it takes over without a gap.
            guard state.ready.remove(number) != nil, state.ready.isEmpty else { return }
            for key in state.routes.keys { state.routes[key]?.wasInterrupted = true }
        }
    }

    /// A connection may bring events from now on.
    package func begins(_ number: Int) {
        state.withLock { if $0.connections[number] != nil { $0.begun.insert(number) } }
    }

    /// A connection is accepted by the server: subscriptions that were interrupted hear of it.
    package func ready(_ number: Int) {
        state.withLock { state in
            guard state.connections[number] != nil else { return }
            state.ready.insert(number)
            if number == state.current { state.tellGaps() }
        }
    }

    /// A connection is told from now on; what it has brought already comes first.
    package func promote(_ number: Int) -> Bool {
        state.withLock { state in
            state.current = number
            if state.ready.contains(number) { state.tellGaps() }
            for key in state.routes.keys {
                let ahead = state.routes[key]?.ahead ?? []
                state.routes[key]?.ahead = []
                state.routes[key]?.aheadSize = 0
                for (event, text, size) in ahead where !state.wasTold(event, text, key) { state.tell(key, event, size) }
            }
            return state.routes.isEmpty
        }
    }

    /// A connection has brought an event; gives whether no subscription is left.
    package func take(_ event: SocketClientSession.Event, of key: Int, from number: Int, size: Int) -> Bool {
        state.withLock { state in
            guard let route = state.routes[key], let current = state.current else { return state.routes.isEmpty }
            let hasSuccessor = state.begun.contains { $0 > number }
            if number == current, hasSuccessor {
                state.routes[key]?.seen[event.text, default: 0] += 1
                state.tell(key, event, size)
            } else if number == current {
                // The newer connection may lag behind what the older one has told, until it brings something else.
                if !route.seen.isEmpty {
                    if state.wasTold(event, event.text, key) { return false }
                    state.routes[key]?.seen = [:]
                }
                state.tell(key, event, size)
            } else if number > current, route.aheadSize + size <= Self.mostAhead {
                state.routes[key]?.ahead.append((event, event.text, size))
                state.routes[key]?.aheadSize += size
            }
            return state.routes.isEmpty
        }
    }
}

extension SocketClientSession.Event {
    /// What tells results apart; the same for all other events.
    fileprivate var text: Int {
        if case .next(let result) = self { result.text().hashValue } else { 0 }
    }
}

extension SubscriptionRouter.State {
    /// Whether the older connection has brought the result as well; each of its results counts once.
    fileprivate mutating func wasTold(_ event: SocketClientSession.Event, _ text: Int, _ key: Int) -> Bool {
        guard case .next = event, let count = routes[key]?.seen[text], count > 0 else { return false }
        routes[key]?.seen[text] = count > 1 ? count - 1 : nil
        return true
    }

    /// What a connection has brought that will never be told.
    fileprivate mutating func forgetSuccessor() {
        for key in routes.keys {
            routes[key]?.ahead = []
            routes[key]?.aheadSize = 0
            routes[key]?.seen = [:]
        }
    }

    fileprivate mutating func tellGaps() {
        for (key, route) in routes where route.wasInterrupted {
            routes[key]?.wasInterrupted = false
            route.feed.add(.gap(.reconnected), size: 0)
        }
    }

    fileprivate mutating func tell(_ key: Int, _ event: SocketClientSession.Event, _ size: Int) {
        guard let feed = routes[key]?.feed else { return }
        let told: SubscriptionEvent =
            switch event {
            case .next(let result): .next(result)
            case .error(let errors): .error(errors)
            case .complete: .complete
            }
        feed.add(told, size: size)
        guard told.isLast else { return }
        routes[key] = nil
        for connection in connections.values { connection.unsubscribe(key) }
    }
}
