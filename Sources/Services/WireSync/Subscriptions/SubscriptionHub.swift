import Synchronization
import WireBase
package import WireGraphQL

/// Keeps all subscriptions of a user connected: over one WebSocket, or over an event stream for each.
///
/// A connection is opened with the first subscription and closed with the last. It has a fresh token each time, is
/// reconnected when lost, and is replaced without a gap before its token expires.
package final class SubscriptionHub: Sendable {
    private struct State {
        /// The loops to start next.
        var starting: [ConnectionLoop] = []
        var running: [ConnectionLoop] = []
        var isDraining = false
    }

    private let settings: SubscriptionSettings
    private let means: SubscriptionMeans
    private let report: @Sendable (ConnectionReport) -> Void
    private let state = Mutex(State())
    private let wakeup = Wakeup()
    private let shared: ConnectionLoop?

    package init(
        _ settings: SubscriptionSettings,
        _ means: SubscriptionMeans,
        report: @escaping @Sendable (ConnectionReport) -> Void = { _ in }
    ) {
        (self.settings, self.means, self.report) = (settings, means, report)
        switch settings.transport {
        case .socket(let protocols):
            let shared = ConnectionLoop(settings.reconnect, means, report: report) {
                SocketConnection(settings, protocols, means)
            }
            self.shared = shared
            state.withLock { $0.starting = [shared] }
        case .eventStream: shared = nil
        }
    }

    /// Starts a subscription; after the end of all it has no events.
    package func subscribe(_ request: GraphQLRequest) -> ServerSubscription {
        let feed = SubscriptionFeed()
        let loop = shared ?? ownLoop()
        guard let key = loop.router.add(request, feed), shared != nil || start(loop) else {
            feed.end()
            return ServerSubscription(feed, link: { loop.link }, letGo: {})
        }
        loop.put(.wanted(true))
        return ServerSubscription(feed, link: { loop.link }) {
            loop.router.remove(key)
            if loop.router.count == 0 { loop.put(.wanted(false)) }
        }
    }

    /// The loop of one event stream, which ends with its subscription.
    private func ownLoop() -> ConnectionLoop {
        ConnectionLoop(settings.reconnect, means, report: report) { [settings, means] in
            EventStreamConnection(settings, means)
        }
    }

    private func start(_ loop: ConnectionLoop) -> Bool {
        let isStarted = state.withLock { state in
            guard !state.isDraining else { return false }
            state.starting.append(loop)
            return true
        }
        wakeup.wake()
        return isStarted
    }

    /// The number of subscriptions.
    package var count: Int {
        let loops = state.withLock { $0.starting + $0.running }
        return loops.reduce(0) { $0 + $1.router.count }
    }

    /// Runs until drained or cancelled, which ends all subscriptions.
    package func run() async {
        wakeup.wake()
        await withDiscardingTaskGroup { group in
            while await wakeup.next() != nil {
                let (loops, isDraining) = state.withLock { state in
                    defer { (state.running, state.starting) = (state.running + state.starting, []) }
                    return (state.starting, state.isDraining)
                }
                for loop in loops {
                    group.addTask {
                        await loop.run(forOne: self.shared == nil)
                        self.state.withLock { state in state.running.removeAll { $0 === loop } }
                    }
                }
                // Running loops end by themselves.
                if isDraining { break }
            }
            if Task.isCancelled { group.cancelAll() }
        }
        // Loops cancelled before their start have ended too.
        let loops = state.withLock { state in
            state.isDraining = true
            return state.starting
        }
        for loop in loops { loop.router.end(with: nil) }
    }

    /// Replaces connections by ones with a new token, without a gap.
    package func renew() { all.forEach { $0.put(.renew) } }

    /// Ends all subscriptions, and closes connections gracefully.
    package func drain() {
        state.withLock { $0.isDraining = true }
        all.forEach { $0.put(.drain) }
        wakeup.wake()
    }

    private var all: [ConnectionLoop] { state.withLock { $0.starting + $0.running } }
}
