import Synchronization
package import WireBase
package import WireConfig

/// Delivers events to all subscribers and stores the latest ones for late subscribers.
///
/// All subscribers read from one ring at their own pace, so that the cost of an event does not depend on their number,
/// and a slow subscriber delays no other: events dropped from the ring are reported as a gap.
///
/// Frequent events of one name can have a ring of their own, so that they do not displace others, and are recorded only
/// while a subscriber asks for them by name.
package final class EventHub: EventOutlet {
    private let clock: TimeSource
    private let state: Mutex<State>
    private let apart: (name: String, hub: EventHub)?
    /// The current number of subscribers.
    private let watchers = Atomic(0)

    private struct State {
        var ring: EventRing
        var waiting: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0
        var isFinished = false
    }

    private struct Waiter {
        let prefix: String
        let wake: CheckedContinuation<Void, Never>
    }

    /// Makes a hub with a capacity; numbers begin with `first`.
    ///
    /// Start with a number that no earlier process has reached, such as the time in microseconds: subscribers that
    /// resume across a restart then see a gap instead of different events with the same numbers.
    package init(
        keeping capacity: Int,
        first: UInt64 = 1,
        apart: (name: String, keeping: Int)? = nil,
        clock: TimeSource
    ) {
        self.clock = clock
        self.apart = apart.map { ($0.name, EventHub(keeping: $0.keeping, first: first, clock: clock)) }
        state = Mutex(State(ring: EventRing(capacity: capacity, first: first)))
    }

    /// The separate hub for events of a name, if there is one.
    private func hub(named name: String) -> EventHub? {
        guard let apart, name.hasPrefix(apart.name) else { return nil }
        return apart.hub
    }

    package func isWanted(_ name: String) -> Bool {
        guard let hub = hub(named: name) else { return true }
        return hub.watchers.load(ordering: .relaxed) > 0
    }

    package func emit(_ name: String, generation: Int, _ data: JSONValue, confined: ConfinedMembers?) {
        if let hub = hub(named: name) {
            if isWanted(name) { hub.emit(name, generation: generation, data, confined: confined) }
            return
        }
        let time = clock.wall()
        let woken = state.withLock { state -> [Waiter] in
            guard !state.isFinished else { return [] }
            state.ring.append {
                Event(id: $0, time: time, name: name, generation: generation, data: data, confined: confined)
            }
            let concerned = state.waiting.filter { name.hasPrefix($0.value.prefix) }
            for number in concerned.keys { state.waiting[number] = nil }
            return Array(concerned.values)
        }
        for waiter in woken { waiter.wake.resume() }
    }

    /// Subscribes to events whose names have a prefix, from now on or after a known event.
    package func watch(after id: UInt64? = nil, named prefix: String = "") -> EventStream {
        if let hub = hub(named: prefix) { return hub.watch(after: id, named: prefix) }
        return EventStream(hub: self, after: id ?? state.withLock { $0.ring.next - 1 }, prefix: prefix)
    }

    /// The stored events, all or those after a known event, and the number of the last event.
    package func kept(after id: UInt64? = nil, named prefix: String = "") -> (all: [WatchedEvent], last: UInt64) {
        if let hub = hub(named: prefix) { return hub.kept(after: id, named: prefix) }
        return state.withLock { state in
            let ring = state.ring
            return (ring.following(id ?? ring.oldest - 1, named: prefix, upTo: .max).events, ring.next - 1)
        }
    }

    /// Ends all streams after their stored events; later events are dropped.
    package func finish() {
        apart?.hub.finish()
        let woken = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in woken { waiter.wake.resume() }
    }

    fileprivate func watcherCame() { watchers.add(1, ordering: .relaxed) }
    fileprivate func watcherLeft() { watchers.subtract(1, ordering: .relaxed) }

    /// The next events after an event; waits for one, and returns none at the end and for a cancelled task.
    func following(_ id: inout UInt64, named prefix: String) async -> [WatchedEvent] {
        while !Task.isCancelled {
            let (events, isFinished) = state.withLock { state in
                let answer = state.ring.following(id, named: prefix, upTo: 64)
                id = answer.reached
                return (answer.events, state.isFinished)
            }
            if !events.isEmpty || isFinished { return events }
            await nextEvent(after: id, named: prefix)
        }
        return []
    }

    /// Waits for an event after this one, the end, or the cancellation of the task.
    private func nextEvent(after id: UInt64, named prefix: String) async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isLate = state.withLock { state in
                    if state.isFinished || state.ring.next - 1 != id || Task.isCancelled { return true }
                    state.waiting[number] = Waiter(prefix: prefix, wake: wake)
                    return false
                }
                if isLate { wake.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.wake.resume()
        }
    }
}

/// The events of one subscriber; each iteration begins where the stream began.
package struct EventStream: AsyncSequence, Sendable {
    private let presence: Presence
    private let after: UInt64
    private let prefix: String

    init(hub: EventHub, after: UInt64, prefix: String) {
        (presence, self.after, self.prefix) = (Presence(at: hub), after, prefix)
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(presence: presence, seen: after, prefix: prefix)
    }

    /// Counts as a subscriber until the stream and all its iterators are released.
    fileprivate final class Presence: Sendable {
        let hub: EventHub

        init(at hub: EventHub) {
            self.hub = hub
            hub.watcherCame()
        }

        deinit { hub.watcherLeft() }
    }

    package struct Iterator: AsyncIteratorProtocol {
        private let presence: Presence
        private var seen: UInt64
        private let prefix: String
        private var ready: ArraySlice<WatchedEvent> = []

        fileprivate init(presence: Presence, seen: UInt64, prefix: String) {
            self.presence = presence
            self.seen = seen
            self.prefix = prefix
        }

        package mutating func next() async -> WatchedEvent? {
            if ready.isEmpty { ready = await presence.hub.following(&seen, named: prefix)[...] }
            return ready.popFirst()
        }
    }
}
