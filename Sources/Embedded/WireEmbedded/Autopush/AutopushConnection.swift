import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireStore
import WireTelemetry

/// The WebSocket of a receiver: reads its messages, and pings it.
final class AutopushConnection: Sendable {
    /// What was sent and is not acknowledged; changed by the mailboxes only.
    struct Queue {
        var sent: Set<AutopushMessageID> = []
        /// The part that must be acknowledged before more stored messages are sent.
        var batch: Set<AutopushMessageID> = []
        /// Whether all stored messages have been sent, so that new ones are sent at once.
        var isDrained = false
    }

    private struct State {
        var user: AutopushUserID?
        /// The time of the last `{}`.
        var pinged: Duration?
        var isEnded = false
    }

    let queue = Mutex(Queue())
    private let state = Mutex(State())
    private let socket: AcceptedSocket
    private let mailboxes: AutopushMailboxes
    private let clock: TimeSource
    private let log: Log

    private static let helloLimit = Duration.seconds(5)
    /// The pause between two pings of the client, at least.
    private static let pingFloor = Duration.seconds(45)
    private static let keepAlive = Duration.seconds(300)
    private static let pongLimit = Duration.seconds(4)

    init(_ socket: AcceptedSocket, _ mailboxes: AutopushMailboxes, _ clock: TimeSource, _ log: Log) {
        (self.socket, self.mailboxes, self.clock, self.log) = (socket, mailboxes, clock, log)
    }

    /// The receiver; nil before its first message.
    var user: AutopushUserID? { state.withLock { $0.user } }

    func identify(as user: AutopushUserID) { state.withLock { $0.user = user } }

    func forget(_ message: AutopushMessageID) {
        queue.withLock { queue in
            queue.sent.remove(message)
            queue.batch.remove(message)
        }
    }

    // MARK: Running

    /// Returns when the connection has ended.
    func run(until ending: OneShot) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await ending.wait()
                if ending.hasFired { self.close(.goingAway) }
            }
            group.addTask {
                guard (try? await self.clock.sleep(Self.helloLimit)) != nil, self.user == nil else { return }
                self.end(.helloTimeout)
            }
            group.addTask { await self.keepAlive() }
            while case .text(let text) = await socket.receive() { await take(text) }
            group.cancelAll()
        }
        mailboxes.leave(self)
    }

    private func keepAlive() async {
        while (try? await clock.sleep(Self.keepAlive)) != nil {
            let count = socket.heard.count
            guard socket.ping() else { return }
            await socket.heard.wait(after: count, atMost: Self.pongLimit, clock)
            guard !Task.isCancelled else { return }
            if socket.heard.count == count { return end(.pongTimeout) }
        }
    }

    private func take(_ text: String) async {
        guard !state.withLock({ $0.isEnded }) else { return }
        do {
            try await perform(AutopushClientMessage(parsing: text))
        } catch let stop as AutopushStop {
            end(stop)
        } catch {
            if !Task.isCancelled {
                log.error(
                    "the autopush server failed",
                    ["reason": .text((error as? StoreFailure)?.reason ?? "\(error)")]
                )
            }
            end(.failed)
        }
    }

    private func perform(_ message: AutopushClientMessage) async throws {
        if case .hello(let uaid) = message {
            guard user == nil else { throw AutopushStop.state }
            return try await mailboxes.greet(self, uaid: uaid)
        }
        guard let user else { throw AutopushStop.state }
        switch message {
        case .hello, .nack, .broadcastSubscribe: break
        case .register(let channel, let key): try await mailboxes.register(channel, key: key, by: user, on: self)
        case .unregister(let channel): try await mailboxes.unregister(channel, by: user, on: self)
        case .ack(let updates): try await mailboxes.acknowledge(updates, by: user, on: self)
        case .ping:
            let now = clock.monotonic()
            let last = state.withLock { state in
                defer { state.pinged = now }
                return state.pinged
            }
            if let last, now - last < Self.pingFloor { throw AutopushStop.excessivePing }
            send([:])
        }
    }

    // MARK: Sending

    func send(_ members: KeyValuePairs<String, JSONValue?>) { send(.members(members)) }

    func send(_ message: JSONValue) {
        guard !state.withLock({ $0.isEnded }) else { return }
        socket.send(message.text())
    }

    func end(_ stop: AutopushStop) { close(stop.close) }

    private func close(_ close: WebSocketClose) {
        state.withLock { $0.isEnded = true }
        socket.close(close)
    }
}
