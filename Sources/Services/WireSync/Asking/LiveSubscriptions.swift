import Synchronization
import WireBase
import WireService

/// The subscriptions of the signed-in user; those of another user are ended when the user changes.
final class LiveSubscriptions: Sendable {
    private struct State {
        var hub: SubscriptionHub
        var region: String
    }

    private let make: @Sendable () -> SubscriptionHub
    private let state: Mutex<State>

    init(_ region: String, _ make: @escaping @Sendable () -> SubscriptionHub) {
        self.make = make
        state = Mutex(State(hub: make(), region: region))
    }

    var hub: SubscriptionHub { state.withLock { $0.hub } }

    /// Begins anew where the data are another user's.
    func follow(_ region: String) {
        let former: SubscriptionHub? = state.withLock { state in
            guard state.region != region else { return nil }
            defer { state = State(hub: make(), region: region) }
            return state.hub
        }
        former?.drain()
    }

    /// Lives until it is cancelled or the last hub is drained for good.
    func run(until ending: OneShot) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await ending.wait()
                self.hub.drain()
            }
            while !Task.isCancelled {
                let hub = hub
                await hub.run()
                // The next one runs while the former says goodbye.
                guard hub !== self.hub else { break }
            }
            group.cancelAll()
        }
    }
}
