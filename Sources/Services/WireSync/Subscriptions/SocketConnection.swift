import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireNetworkContract
import WireService
import WireSyncContract

/// A WebSocket for all subscriptions, in the subprotocol chosen by the server.
final class SocketConnection: SubscriptionConnection {
    fileprivate struct State {
        /// The subscriptions, with their ids once there is a session.
        var wanted: [Int: GraphQLRequest] = [:]
        var ids: [Int: String] = [:]
        var keys: [String: Int] = [:]
        var live: (session: SocketClientSession, socket: ServerSocket)?
        var end: ConnectionEnd?
        var hasBrought = false
        /// The time of the server's acknowledgement.
        var acknowledged: Duration?
    }

    private let settings: SubscriptionSettings
    private let means: SubscriptionMeans
    private let protocols: [SocketProtocol]
    private let state = Mutex(State())

    /// How long a connection must last to count as stable without an event.
    private static let settling = Duration.seconds(10)
    /// The timeout of a close or a ping.
    private static let patience = Duration.seconds(5)

    init(_ settings: SubscriptionSettings, _ protocols: [SocketProtocol], _ means: SubscriptionMeans) {
        (self.settings, self.protocols, self.means) = (settings, protocols, means)
    }

    // MARK: Subscriptions

    func subscribe(_ key: Int, _ request: GraphQLRequest) {
        state.withLock { state in
            state.wanted[key] = request
            state.send { Self.begin(key, request, &$0) }
        }
    }

    func unsubscribe(_ key: Int) {
        state.withLock { state in
            guard state.wanted.removeValue(forKey: key) != nil, let id = state.ids.removeValue(forKey: key) else {
                return
            }
            state.keys[id] = nil
            state.send { state in state.live?.session.unsubscribe(id) ?? [] }
        }
    }

    private static func begin(
        _ key: Int,
        _ request: GraphQLRequest,
        _ state: inout State
    ) -> [SocketClientSession.Action] {
        guard let (id, actions) = state.live?.session.subscribe(request) else { return [] }
        (state.ids[key], state.keys[id]) = (id, key)
        return actions
    }

    // MARK: Its life

    func run(until leave: OneShot, _ tell: @escaping @Sendable (ConnectionEvent) -> Void) async -> ConnectionEnd {
        let began = means.clock.monotonic()
        let opened = await unless(leave) { await self.open() }
        guard let opened else { return .left }
        switch opened {
        case .failure(let end): return end
        case .success(let (socket, token)):
            guard let spoken = socket.subprotocol.flatMap(SocketProtocol.init) else {
                socket.close(WebSocketClose(.notAcceptable))
                await socket.leave(within: Self.patience)
                return ConnectionEnd(.fail, "the server supports no GraphQL sub-protocol")
            }
            begin(spoken, socket, token)
            let end = await converse(on: socket, token, since: began, until: leave, tell)
            state.withLock { $0.live = nil }
            return await settle(end, token)
        }
    }

    private func open() async -> Result<(ServerSocket, AccessToken?), ConnectionEnd> {
        guard means.requests.offlinePolicy != .returnLocalDataDontLoad else {
            return .failure(ConnectionEnd(.fail, "'network.offlinePolicy' keeps requests on this machine"))
        }
        guard let framing = means.framing, let nonce = means.nonce() else {
            return .failure(ConnectionEnd(.fail, "WebSockets are not available in this program"))
        }
        var call = ServerCall(.get, .address(settings.address), from: SyncSection.name, at: settings.place)
        call.destination = .address(settings.address.overHTTP)
        call.fields = settings.fields
        call.authorization = settings.authorization
        call.deadline = settings.connectionTimeout
        call.waitsForNetwork = false
        call.retries = 0
        call.offlinePolicy = OfflinePolicy.none
        do throws(CallFailure) {
            let token = try await means.token(for: call)
            do throws(SocketFailure) {
                let socket = try await means.requests.open(
                    call,
                    nonce: nonce,
                    protocols: protocols.map(\.rawValue),
                    framing: framing,
                    limit: settings.message,
                    clock: means.clock
                )
                return .success((socket, token))
            } catch {
                return .failure(ConnectionEnd(error))
            }
        } catch {
            return .failure(ConnectionEnd(error))
        }
    }

    /// Starts the session; subscriptions wait in it for the acknowledgement.
    private func begin(_ spoken: SocketProtocol, _ socket: ServerSocket, _ token: AccessToken?) {
        var payload: JSONValue?
        if settings.tokenInPayload, let token {
            payload = .members(["Authorization": .string(token.authorization.reveal())])
        }
        var limits = SocketClientSession.Limits()
        limits.message = settings.message
        let session = SocketClientSession(spoken, payload: payload, limits: limits)
        state.withLock { state in
            state.live = (session, socket)
            state.send { $0.live?.session.opened() ?? [] }
            for (key, request) in state.wanted.sorted(by: { $0.key < $1.key }) {
                state.send { Self.begin(key, request, &$0) }
            }
        }
    }

    // MARK: The conversation

    private func converse(
        on socket: ServerSocket,
        _ token: AccessToken?,
        since began: Duration,
        until leave: OneShot,
        _ tell: @escaping @Sendable (ConnectionEvent) -> Void
    ) async -> ConnectionEnd {
        let clock = means.clock
        let end = await withTaskGroup(of: ConnectionEnd?.self) { group in
            group.addTask { await self.read(from: socket, token, tell) }
            group.addTask { [settings] in
                guard settings.keepAlive > .zero else { return nil }
                let patience = min(settings.keepAlive, Self.patience)
                guard (try? await socket.watch(every: settings.keepAlive, within: patience)) != nil else { return nil }
                return ConnectionEnd(.retry, "the server did not respond to a ping in time")
            }
            group.addTask { [settings] in
                let left = settings.connectionTimeout - (clock.monotonic() - began)
                guard (try? await clock.sleep(left)) != nil else { return nil }
                guard !self.step({ $0.acknowledgementTimedOut() }).isEmpty else { return nil }
                // Reading ends with the server's close frame; cancelled earlier, reading would drop the close.
                try? await clock.sleep(Self.patience)
                return ConnectionEnd(.retry, "the server did not acknowledge the connection in time")
            }
            group.addTask {
                await leave.wait()
                guard leave.hasFired else { return nil }
                self.step { $0.close(.normal) }
                try? await clock.sleep(Self.patience)
                return .left
            }
            defer { group.cancelAll() }
            while let end = await group.next() { if let end { return end } }
            return .left
        }
        await socket.leave(within: .seconds(2))
        return end
    }

    private func read(
        from socket: ServerSocket,
        _ token: AccessToken?,
        _ tell: (ConnectionEvent) -> Void
    ) async -> ConnectionEnd {
        var isAcknowledged = false
        while true {
            switch await socket.receive() {
            case .text(let text):
                // Subscriptions are sent after an acknowledgement.
                if !isAcknowledged { tell(.begins) }
                for action in step({ $0.received(text) }) {
                    switch action {
                    case .acknowledged:
                        isAcknowledged = true
                        let now = means.clock.monotonic()
                        state.withLock { $0.acknowledged = now }
                        tell(.ready(goodFor: means.goodFor(token)))
                    case .deliver(let id, let event): pass(event, id, text.utf8.count, tell)
                    default: continue
                    }
                }
                // A decision made here takes precedence over the server's reaction.
                if let end = state.withLock({ $0.end }) { return end }
            // The frame codec refuses binary messages.
            case .binary: continue
            case .end(let end): return state.withLock { $0.end } ?? ConnectionEnd(end)
            }
        }
    }

    private func pass(
        _ event: SocketClientSession.Event,
        _ id: String,
        _ size: Int,
        _ tell: (ConnectionEvent) -> Void
    ) {
        let key = state.withLock { state in
            state.hasBrought = true
            return state.keys[id]
        }
        guard let key else { return }
        tell(.event(key, event, size: size))
    }

    /// Advances the session and performs its actions on the socket; returns all of its events.
    @discardableResult
    private func step(
        _ move: (inout SocketClientSession) -> [SocketClientSession.Action]
    ) -> [SocketClientSession.Action] {
        state.withLock { state in
            state.send { state in
                guard var session = state.live?.session else { return [] }
                defer { state.live?.session = session }
                return move(&session)
            }
        }
    }

    // MARK: Its end

    /// A token that the server has rejected is not used again.
    private func settle(_ end: ConnectionEnd, _ token: AccessToken?) async -> ConnectionEnd {
        var end = end
        let now = means.clock.monotonic()
        end.wasGood = state.withLock { state in
            state.hasBrought || state.acknowledged.map { now - $0 >= Self.settling } ?? false
        }
        guard end.decision == .renewToken else { return end }
        if let token {
            await means.tokens?.refused(token)
        } else {
            end.decision = .fail
        }
        return end
    }
}

extension SocketConnection.State {
    /// Performs the actions of a session under the lock, so that messages stay in order.
    @discardableResult
    fileprivate mutating func send(
        _ move: (inout Self) -> [SocketClientSession.Action]
    ) -> [SocketClientSession.Action] {
        let actions = move(&self)
        guard let socket = live?.socket else { return actions }
        for action in actions {
            switch action {
            case .send(let text): socket.send(text)
            case .close(let close):
                if close != .normal {
                    end =
                        end
                        ?? ConnectionEnd(CloseDecision(code: close.code), "closed with \(close.code): \(close.reason)")
                }
                socket.close(WebSocketClose(close))
            case .refused(let payload):
                let reason = payload?["message"]?.string ?? "no reason given"
                end = ConnectionEnd(.renewToken, "the server rejected the connection: \(reason.shown(upTo: 120))")
            case .acknowledged, .deliver: continue
            }
        }
        return actions
    }
}

extension ConnectionEnd {
    fileprivate init(_ failure: SocketFailure) {
        switch failure {
        case .call(let failure): self.init(failure)
        case .answer(let status, let fields): self.init(status, fields, expected: "a WebSocket")
        case .mismatch(let reason), .unable(let reason): self.init(.fail, reason)
        }
    }

    fileprivate init(_ end: ServerSocket.End) {
        switch end {
        case .closed(let close):
            let said = close.reason.isEmpty ? "" : ": \(close.reason.shown(upTo: 120))"
            self.init(CloseDecision(code: close.code), "the server closed with \(close.code)\(said)")
        case .refused(let close):
            self.init(.fail, "the connection was closed with \(close.code): \(close.reason)")
        case .lost(let reason): self.init(.retry, reason)
        }
    }
}

/// Does something, unless `leave` fires meanwhile.
func unless<Value: Sendable>(_ leave: OneShot, _ work: @escaping @Sendable () async -> Value) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
        group.addTask { await work() }
        group.addTask {
            await leave.wait()
            return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
}
