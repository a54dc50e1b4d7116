import Synchronization
import WireBase
import WireConfig
import WireMQTT

/// Whether a broker is alive, and how far the conversation with it has come.
final class BrokerPulse: Sendable {
    private struct State {
        var interval: Duration
        var patience: Duration
        /// Counts what was received.
        var heard = 0
        /// Whether a message is being stored, while nothing is received.
        var isTaking = false
        /// Whether no more messages are stored.
        var isLeaving = false
        var broker: BrokerSession
    }

    private let state: Mutex<State>
    private let clock: TimeSource
    private let hasBegun = OneShot()
    /// Fires once no message is being stored, and no more are.
    private let hasStopped = OneShot()

    init(_ keepAlive: KeepAlive, _ clock: TimeSource, _ broker: BrokerSession) {
        state = Mutex(State(interval: keepAlive.every, patience: keepAlive.within, broker: broker))
        self.clock = clock
    }

    func heard() { state.withLock { $0.heard &+= 1 } }

    /// Begins to store messages; false where no more are stored.
    func beginTaking() -> Bool {
        state.withLock { state in
            state.isTaking = !state.isLeaving
            return state.isTaking
        }
    }

    func endTaking() {
        let isLeaving = state.withLock { state in
            state.isTaking = false
            state.heard &+= 1
            return state.isLeaving
        }
        if isLeaving { hasStopped.fire() }
    }

    /// Returns when the messages that are being stored are acknowledged; later ones stay at the broker.
    func stopTaking() async {
        let isTaking = state.withLock { state in
            state.isLeaving = true
            return state.isTaking
        }
        if isTaking { await hasStopped.wait() }
    }

    /// Applies the broker's own keep-alive, within which a packet must be sent.
    func limit(to keepAlive: Duration?) {
        guard let keepAlive, keepAlive > .zero else { return }
        state.withLock { state in
            state.interval = min(state.interval, keepAlive / 2)
            state.patience = min(state.patience, keepAlive / 2)
        }
    }

    /// Notes that all topics are subscribed.
    func ready(_ broker: BrokerSession) {
        state.withLock { $0.broker = broker }
        hasBegun.fire()
    }

    /// Whether the client was ready.
    var isOpen: Bool { hasBegun.hasFired }

    /// Waits until the client is ready; false where that takes too long.
    func isReady(within patience: Duration) async -> Bool {
        _ = await withCancellation(hasBegun) { [clock] in try? await clock.sleep(patience) }
        return hasBegun.hasFired || Task.isCancelled
    }

    /// The last packets of the conversation.
    func farewell(isFinal: Bool) -> [Packet] {
        state.withLock(\.broker).farewell(isFinal: isFinal)
    }

    /// Pings the broker periodically; returns when it has not responded in time.
    func watch(_ ping: () -> Void) async throws {
        var last = clock.monotonic()
        var unanswered: (since: Duration, heard: Int)?
        while true {
            let (now, state) = (clock.monotonic(), state.withLock { $0 })
            if state.isTaking || unanswered?.heard != state.heard { unanswered = nil }
            if let ping = unanswered, now - ping.since >= state.patience { return }
            if now - last >= state.interval {
                ping()
                last = now
                if !state.isTaking { unanswered = unanswered ?? (now, state.heard) }
            }
            let due = [last + state.interval, unanswered.map { $0.since + state.patience }].compactMap(\.self).min()
            try await clock.sleep((due ?? now) - now)
        }
    }
}
