import Synchronization
package import WireBase
package import WireConfig
package import WireGraphQL
package import WireHTTP

/// Answers GraphQL requests of a client over a WebSocket or an event stream.
package protocol GraphQLResponder: Sendable {
    /// Admits the client by the payload of `connection_init`, and returns the payload of the acknowledgement.
    func admit(_ payload: JSONValue?) async throws(GraphQLRefusal) -> JSONValue?
    /// Emits the results of a request, one for a query and any number for a subscription; returns at the end.
    ///
    /// Emitting waits while the client does not read. Cancelled when the client ends the request or disconnects; throws
    /// where the request is rejected before its execution.
    func answer(
        _ request: GraphQLRequest,
        _ give: @escaping @Sendable (JSONValue) async -> Void
    ) async throws(GraphQLRefusal)
}

/// Why a client or a request is rejected, as GraphQL errors.
package struct GraphQLRefusal: Error, Sendable {
    package let errors: [JSONValue]

    package init(_ errors: [JSONValue]) { self.errors = errors }

    package init(_ message: String) { self.init([.members(["message": .string(message)])]) }

    /// The message of the first error.
    package var message: String { errors.first?["message"]?.string ?? "rejected" }
}

/// Serves GraphQL over WebSockets, in both subprotocols, to authorized clients.
package struct GraphQLSocket: Sendable {
    private let responder: any GraphQLResponder
    private let framing: any WebSocketFraming
    private let clock: TimeSource
    /// Fires when clients must be disconnected.
    private let ending: OneShot
    package var limits = SocketServerSession.Limits()
    package var socketLimits = AcceptedSocket.Limits()

    package init(
        _ responder: any GraphQLResponder,
        framing: any WebSocketFraming,
        clock: TimeSource,
        until ending: OneShot
    ) {
        (self.responder, self.framing, self.clock, self.ending) = (responder, framing, clock, ending)
    }

    /// Answers an upgrade request, with a supported subprotocol where the client offers one.
    ///
    /// A client with other subprotocols is accepted and closed with 4406, since a browser cannot see an HTTP status.
    package func response(to request: Request) throws(Problem) -> Response {
        let handshake = try WebSocketHandshake(request)
        guard let spoken = SocketProtocol.choose(from: handshake.protocols) else {
            return handshake.accept(in: handshake.protocols.first) { stream in await turnAway(on: stream) }
        }
        return handshake.accept(in: spoken.rawValue) { stream in await serve(spoken, on: stream) }
    }

    private func turnAway(on stream: any ByteStream) async {
        await AcceptedSocket.serve(on: stream, framing: framing, limits: socketLimits, clock: clock) { _ in
            WebSocketClose(.notAcceptable)
        }
    }

    private func serve(_ spoken: SocketProtocol, on stream: any ByteStream) async {
        let silence = socketLimits.silence
        var socketLimits = socketLimits
        socketLimits.message = limits.message
        await AcceptedSocket.serve(on: stream, framing: framing, limits: socketLimits, clock: clock) { socket in
            let conversation = GraphQLConversation(
                SocketServerSession(spoken, limits: limits),
                on: socket,
                with: responder,
                clock
            )
            await conversation.run(until: ending, keptAliveEvery: silence)
            return .goingAway
        }
    }
}

/// The session of one client, with its running requests.
private final class GraphQLConversation: Sendable {
    private typealias Key = SocketServerSession.Key

    private struct State {
        var session: SocketServerSession
        /// The cancellation of each running request.
        var stops: [Key: OneShot] = [:]
    }

    private let state: Mutex<State>
    private let socket: AcceptedSocket
    private let responder: any GraphQLResponder
    private let clock: TimeSource

    init(
        _ session: SocketServerSession,
        on socket: AcceptedSocket,
        with responder: any GraphQLResponder,
        _ clock: TimeSource
    ) {
        state = Mutex(State(session: session))
        (self.socket, self.responder, self.clock) = (socket, responder, clock)
    }

    func run(until ending: OneShot, keptAliveEvery interval: Duration) async {
        await withDiscardingTaskGroup { group in
            await perform(step { $0.opened() }, &group)
            group.addTask {
                await ending.wait()
                if ending.hasFired { self.step { $0.close(.goingAway) } }
            }
            if state.withLock({ $0.session.spoken == .subscriptionsTransportWs }) {
                group.addTask { await self.keepAlive(every: interval) }
            }
            while case .text(let text) = await socket.receive() {
                await perform(step { $0.received(text) }, &group)
            }
            step { $0.ended() }
            group.cancelAll()
        }
    }

    private func keepAlive(every interval: Duration) async {
        while (try? await clock.sleep(interval)) != nil { step { $0.keepAliveDue() } }
    }

    // MARK: Actions

    /// Advances the session and performs its synchronous actions in order.
    ///
    /// Returns the remaining actions.
    @discardableResult
    private func step(
        isHasty: Bool = true,
        _ move: (inout SocketServerSession) -> [SocketServerSession.Action]
    ) -> [SocketServerSession.Action] {
        state.withLock { state in
            move(&state.session).filter { action in
                switch action {
                case .send(let text): socket.send(text, isHasty: isHasty)
                case .close(let close): socket.close(WebSocketClose(close))
                case .stop(let key): state.stops.removeValue(forKey: key)?.fire()
                case .start(let key, _):
                    state.stops[key] = OneShot()
                    return true
                case .awaitInitialisation, .authorise: return true
                }
                return false
            }
        }
    }

    private func perform(_ actions: [SocketServerSession.Action], _ group: inout DiscardingTaskGroup) async {
        for action in actions {
            switch action {
            case .awaitInitialisation(let patience):
                group.addTask {
                    guard (try? await self.clock.sleep(patience)) != nil else { return }
                    self.step { $0.initialisationTimedOut() }
                }
            case .start(let key, let request):
                guard let stop = state.withLock({ $0.stops[key] }) else { continue }
                group.addTask { await firstOf([{ await self.answer(key, request) }, { await stop.wait() }]) }
            case .authorise(let payload): await perform(await admit(payload), &group)
            default: continue
            }
        }
    }

    private func admit(_ payload: JSONValue?) async -> [SocketServerSession.Action] {
        do throws(GraphQLRefusal) {
            let answer = try await responder.admit(payload)
            return step { $0.accept(answer) }
        } catch {
            return step { $0.refuse(error.message) }
        }
    }

    private func answer(_ key: Key, _ request: GraphQLRequest) async {
        do throws(GraphQLRefusal) {
            try await responder.answer(request) { result in await self.stepInTurn { $0.next(key, result) } }
            await stepInTurn { $0.complete(key) }
        } catch {
            await stepInTurn { $0.error(key, error.errors) }
        }
        state.withLock { $0.stops[key] = nil }
    }

    /// Sends a result once there is room in the send buffer.
    private func stepInTurn(_ move: (inout SocketServerSession) -> [SocketServerSession.Action]) async {
        await socket.sendInTurn { step(isHasty: false, move) }
    }
}

extension WebSocketClose {
    package init(_ close: SocketClose) { self.init(close.code, close.reason) }
}
