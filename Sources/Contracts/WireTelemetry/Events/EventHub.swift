import Synchronization
package import WireBase
package import WireConfig

/// Tells everybody who watches what happens, and keeps the latest events for who comes late.
///
/// All watchers read from one ring, each at its own pace, so that an event costs the same however many watch, and a slow
/// watcher holds up nobody: what the ring has let go in the meantime it is told of as a gap.
///
/// Events of one name that come in masses can be kept apart: in a ring of their own, so that they push no others out, and
/// only while somebody watches them by their name.
package final class EventHub: EventOutlet {
    private let clock: Clockwork
    private let state: Mutex<State>
    private let apart: (name: String, hub: EventHub)?
    /// How many watch at the moment.
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

    /// Keeps so many events, and numbers them from `first`.
    ///
    /// A runner that begins with a number no former run has reached, as the time in microseconds is, lets watchers resume
    /// across its restarts: they are told of a gap instead of being given other events of the same numbers.
    package init(
        keeping capacity: Int,
        first: UInt64 = 1,
        apart: (name: String, keeping: Int)? = nil,
        clock: Clockwork
    ) {
        self.clock = clock
        self.apart = apart.map { ($0.name, EventHub(keeping: $0.keeping, first: first, clock: clock)) }
        state = Mutex(State(ring: EventRing(capacity: capacity, first: first)))
    }

    /// The hub that events of a name are kept in, where it is another.
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

    /// The events whose names begin so, from now on or from after one that the watcher has seen.
    package func watch(after id: UInt64? = nil, named prefix: String = "") -> EventStream {
        if let hub = hub(named: prefix) { return hub.watch(after: id, named: prefix) }
        return EventStream(hub: self, after: id ?? state.withLock { $0.ring.next - 1 }, prefix: prefix)
    }

    /// The events that are kept, all or those after one that the watcher has seen, and the number of the last there was.
    package func kept(after id: UInt64? = nil, named prefix: String = "") -> (all: [WatchedEvent], last: UInt64) {
        if let hub = hub(named: prefix) { return hub.kept(after: id, named: prefix) }
        return state.withLock { state in
            let ring = state.ring
            return (ring.following(id ?? ring.oldest - 1, named: prefix, upTo: .max).events, ring.next - 1)
        }
    }

    /// Ends all streams once they have told what there is; later events are dropped.
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

    /// What follows an event, as soon as there is something; nothing at the end and for a cancelled task.
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

    /// Returns when an event has come after this one, at the end, and when the task is cancelled.
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

/// The events one watcher is told; each iteration begins where the stream began.
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

    /// A watcher, from when it asks for the stream until nobody has that or an iterator of it any more.
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
