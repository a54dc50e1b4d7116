import Synchronization
import WireBase
import WireService

/// The subscriptions of the signed-in user; they end when the user changes.
final class LiveSubscriptions: Sendable {
    private struct State {
        var hub: SubscriptionHub
        var region: String
        /// Hubs that are not running yet.
        var starting: [SubscriptionHub]
    }

    private let make: @Sendable () -> SubscriptionHub
    private let state: Mutex<State>
    private let wakeup = Wakeup()
    private let ending: OneShot

    init(_ region: String, until ending: OneShot, _ make: @escaping @Sendable () -> SubscriptionHub) {
        (self.make, self.ending) = (make, ending)
        let hub = make()
        state = Mutex(State(hub: hub, region: region, starting: [hub]))
    }

    var hub: SubscriptionHub { state.withLock { $0.hub } }

    /// Replaces the hub when the data of another user are shown.
    func follow(_ region: String) {
        let former: SubscriptionHub? = state.withLock { state in
            guard state.region != region else { return nil }
            defer {
                (state.hub, state.region) = (make(), region)
                state.starting.append(state.hub)
            }
            return state.hub
        }
        guard let former else { return }
        former.drain()
        if ending.hasFired { hub.drain() }
        wakeup.wake()
    }

    /// Runs each hub until it has closed its connections, until cancelled.
    func run() async {
        wakeup.wake()
        await withDiscardingTaskGroup { group in
            group.addTask {
                await self.ending.wait()
                self.hub.drain()
            }
            while await wakeup.next() != nil {
                let hubs = state.withLock { state in
                    defer { state.starting = [] }
                    return state.starting
                }
                for hub in hubs { group.addTask { await hub.run() } }
            }
        }
    }
}
