import Synchronization
package import WireBase
package import WireConfig

/// Tells everybody who watches what happens, and keeps the latest events for who comes late.
///
/// All watchers read from one ring, each at its own pace, so that an event costs the same however many watch, and a slow
/// watcher holds up nobody: what the ring has let go in the meantime it is told of as a gap.
package final class EventHub: EventOutlet {
    private let clock: Clockwork
    private let state: Mutex<State>

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
    package init(keeping capacity: Int, first: UInt64 = 1, clock: Clockwork) {
        self.clock = clock
        state = Mutex(State(ring: EventRing(capacity: capacity, first: first)))
    }

    package func emit(_ name: String, generation: Int, _ data: JSONValue) {
        let time = clock.wall()
        let woken = state.withLock { state -> [Waiter] in
            guard !state.isFinished else { return [] }
            state.ring.append { Event(id: $0, time: time, name: name, generation: generation, data: data) }
            let concerned = state.waiting.filter { name.hasPrefix($0.value.prefix) }
            for number in concerned.keys { state.waiting[number] = nil }
            return Array(concerned.values)
        }
        for waiter in woken { waiter.wake.resume() }
    }

    /// The events whose names begin so, from now on or from after one that the watcher has seen.
    package func watch(after id: UInt64? = nil, named prefix: String = "") -> EventStream {
        EventStream(hub: self, after: id ?? state.withLock { $0.ring.next - 1 }, prefix: prefix)
    }

    /// The events that are kept, all or those after one that the watcher has seen, and the number of the last there was.
    package func kept(after id: UInt64? = nil, named prefix: String = "") -> (all: [WatchedEvent], last: UInt64) {
        state.withLock { state in
            let ring = state.ring
            return (ring.following(id ?? ring.oldest - 1, named: prefix, upTo: .max).events, ring.next - 1)
        }
    }

    /// Ends all streams once they have told what there is; later events are dropped.
    package func finish() {
        let woken = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in woken { waiter.wake.resume() }
    }

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
    let hub: EventHub
    let after: UInt64
    let prefix: String

    package func makeAsyncIterator() -> Iterator {
        Iterator(hub: hub, seen: after, prefix: prefix)
    }

    package struct Iterator: AsyncIteratorProtocol {
        private let hub: EventHub
        private var seen: UInt64
        private let prefix: String
        private var ready: ArraySlice<WatchedEvent> = []

        init(hub: EventHub, seen: UInt64, prefix: String) {
            self.hub = hub
            self.seen = seen
            self.prefix = prefix
        }

        package mutating func next() async -> WatchedEvent? {
            if ready.isEmpty { ready = await hub.following(&seen, named: prefix)[...] }
            return ready.popFirst()
        }
    }
}
