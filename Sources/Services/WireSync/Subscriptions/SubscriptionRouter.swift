import Synchronization
import WireConfig
package import WireGraphQL

/// Delivers the events of connections to the subscriptions, once and in order.
///
/// While two connections deliver, only events of the older one are passed on. Those of the newer one are queued and
/// passed on once the older one is closed, without duplicates.
package final class SubscriptionRouter: Sendable {
    fileprivate struct Route {
        let request: GraphQLRequest
        let feed: SubscriptionFeed
        /// Whether its connection has ended, so that events were missed.
        var wasInterrupted = false
        /// How often the older connection has delivered each result that the newer one has not delivered yet.
        var seen: [Int: Int] = [:]
        /// The queued events of the newer connection.
        var ahead: [(event: SocketClientSession.Event, text: Int, size: Int)] = []
        var aheadSize = 0
    }

    fileprivate struct State {
        var routes: [Int: Route] = [:]
        var lastKey = 0
        var current: Int?
        var connections: [Int: any SubscriptionConnection] = [:]
        /// The connections whose server may have received the subscriptions.
        var begun: Set<Int> = []
        /// The connections accepted by the server.
        var ready: Set<Int> = []
        var isOver = false
    }

    private let state = Mutex(State())
    /// The maximum size of queued events of a newer connection, for each subscription.
    private static let mostAhead = 4 * 1_048_576

    // MARK: Subscriptions

    package init() {}

    package var count: Int { state.withLock { $0.routes.count } }

    /// Whether an accepted connection is open.
    var isConnected: Bool { state.withLock { !$0.ready.isEmpty } }

    /// Adds a subscription on all connections; nil where subscriptions have ended.
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

    /// Adds a connection about to open, with all subscriptions.
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
            // Where there is another open connection, it takes over without a gap.
            guard state.ready.remove(number) != nil, state.ready.isEmpty else { return }
            for key in state.routes.keys { state.routes[key]?.wasInterrupted = true }
        }
    }

    /// Notes that a connection may deliver events.
    package func begins(_ number: Int) {
        state.withLock { if $0.connections[number] != nil { $0.begun.insert(number) } }
    }

    /// Notes that a connection was accepted, and informs interrupted subscriptions.
    package func ready(_ number: Int) {
        state.withLock { state in
            guard state.connections[number] != nil else { return }
            state.ready.insert(number)
            if number == state.current { state.tellGaps() }
        }
    }

    /// Delivers from this connection from now on, beginning with its queued events.
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

    /// Handles an event of a connection; true where no subscription is left.
    package func handle(_ event: SocketClientSession.Event, of key: Int, from number: Int, size: Int) -> Bool {
        state.withLock { state in
            guard let route = state.routes[key], let current = state.current else { return state.routes.isEmpty }
            let hasSuccessor = state.begun.contains { $0 > number }
            if number == current, hasSuccessor {
                state.routes[key]?.seen[event.text, default: 0] += 1
                state.tell(key, event, size)
            } else if number == current {
                // The newer connection may repeat events of the older one, until it delivers another.
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
    /// Identifies a result; the same for all other events.
    fileprivate var text: Int {
        if case .next(let result) = self { result.text().hashValue } else { 0 }
    }
}

extension SubscriptionRouter.State {
    /// Whether the older connection has delivered the result too; each of its results counts once.
    fileprivate mutating func wasTold(_ event: SocketClientSession.Event, _ text: Int, _ key: Int) -> Bool {
        guard case .next = event, let count = routes[key]?.seen[text], count > 0 else { return false }
        routes[key]?.seen[text] = count > 1 ? count - 1 : nil
        return true
    }

    /// Drops the queued events of a newer connection.
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
