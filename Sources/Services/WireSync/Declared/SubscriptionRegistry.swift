import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireSyncContract

/// The running subscriptions of callers and of the file, for the local API and metrics.
final class SubscriptionRegistry: Sendable {
    private struct State {
        var entries: [Int: Entry] = [:]
        var last = 0
    }

    private struct Entry {
        var shown: SyncSubscription
        var connection: (@Sendable () -> SubscriptionLink)?
    }

    private let state = Mutex(State())
    private let clock: TimeSource

    init(_ clock: TimeSource) { self.clock = clock }

    /// Adds a subscription, which is listed until it is removed.
    func add(_ operation: String?, declared name: String? = nil) -> Int {
        let now = clock.wall()
        return state.withLock { state in
            state.last += 1
            var shown = SyncSubscription(state.last, since: now)
            (shown.operation, shown.name, shown.isDeclared) = (operation, name, name != nil)
            state.entries[state.last] = Entry(shown: shown)
            return state.last
        }
    }

    func remove(_ number: Int) { state.withLock { $0.entries[number] = nil } }

    /// Sets the connection of a subscription, which waits without one.
    func connect(_ number: Int, _ connection: (@Sendable () -> SubscriptionLink)?) {
        state.withLock { $0.entries[number]?.connection = connection }
    }

    func record(_ event: SyncEvent, of number: Int) {
        let now = clock.wall()
        state.withLock { state in
            switch event {
            case .next(let answer):
                state.entries[number]?.shown.messages += 1
                state.entries[number]?.shown.lastMessage = now
                if let error = answer.errors?.first?["message"]?.string {
                    state.entries[number]?.shown.fail(error, at: now)
                } else {
                    state.entries[number]?.shown.lastError = nil
                    state.entries[number]?.shown.lastErrorTime = nil
                }
            case .gap: state.entries[number]?.shown.gaps += 1
            case .refused(let errors):
                state.entries[number]?.shown.fail(errors.refusal, at: now)
            case .failure(let failure): state.entries[number]?.shown.fail(failure.reason, at: now)
            }
        }
    }

    /// Resets the counters, which are those of another user.
    func reset() {
        state.withLock { state in
            for number in state.entries.keys {
                guard let shown = state.entries[number]?.shown else { continue }
                var new = SyncSubscription(shown.number, since: shown.since)
                (new.operation, new.name, new.isDeclared) = (shown.operation, shown.name, shown.isDeclared)
                state.entries[number]?.shown = new
            }
        }
    }

    func fail(_ reason: String, of number: Int) {
        let now = clock.wall()
        state.withLock { $0.entries[number]?.shown.fail(reason, at: now) }
    }

    /// All subscriptions in the order of their start.
    var all: [SyncSubscription] {
        let entries = state.withLock { $0.entries.sorted { $0.key < $1.key }.map(\.value) }
        return entries.map { entry in
            var shown = entry.shown
            guard let link = entry.connection?() else { return shown }
            shown.state = link.isConnected ? .active : .connecting
            if !link.isConnected, let reason = link.lost { shown.lastError = reason.shown(upTo: 300) }
            return shown
        }
    }

    /// The numbers of callers' and declared subscriptions.
    var counts: (callers: Int, declared: Int) {
        state.withLock { state in
            let declared = state.entries.values.count { $0.shown.isDeclared }
            return (state.entries.count - declared, declared)
        }
    }
}

extension SyncSubscription {
    fileprivate mutating func fail(_ reason: String, at time: Int64) {
        (lastError, lastErrorTime) = (reason.shown(upTo: 300), time)
    }
}

extension [JSONValue] {
    /// The first message among errors of a server.
    var refusal: String { lazy.compactMap { $0["message"]?.string }.first ?? "the server rejected the request" }
}

/// The connection of a subscription.
package struct SubscriptionLink: Sendable {
    /// Whether the server has accepted it.
    package var isConnected: Bool
    /// Why the former one was lost.
    package var lost: String?
}
