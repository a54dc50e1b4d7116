package import WireBase
package import WireConfig

/// The client's state machine of a GraphQL WebSocket: takes texts, requests and timers, and returns actions.
///
/// Subscriptions made before the acknowledgement are sent after it. Messages for unknown ids are ignored and counted; a
/// server that sends only such messages is disconnected.
package struct SocketClientSession: Sendable {
    package struct Limits: Sendable {
        /// The maximum size of an incoming message.
        package var message: ByteCount = .mebibytes(4)
        /// The maximum number of consecutive messages for subscriptions that do not run.
        package var stray = 1_000

        package init() {}
    }

    /// An event of a subscription; an error or a completion is the last one.
    package enum Event: Sendable {
        case next(JSONValue)
        case error([JSONValue])
        case complete
    }

    package enum Action: Sendable {
        case send(String)
        /// The server has acknowledged the connection.
        case acknowledged(JSONValue?)
        case deliver(String, Event)
        /// The server rejects the connection; only in the older protocol, whose close codes do not say so.
        case refused(JSONValue?)
        /// Close the WebSocket; nothing is sent afterwards.
        case close(SocketClose)
    }

    private enum State {
        case initialising, acknowledged, over
    }

    package let spoken: SocketProtocol
    private let limits: Limits
    private let reading: ReadingLimits
    private let payload: JSONValue?
    private var state = State.initialising
    private var waiting: [(id: String, request: JSONValue)] = []
    private var running: Set<String> = []
    private var lastID = 0
    private var strayInARow = 0
    /// The number of messages for unknown ids.
    package private(set) var stray = 0
    /// Whether the server sends keep-alives, so that their absence is significant; only in the older protocol.
    package private(set) var isKeptAlive = false

    /// Makes a session with the payload of `connection_init`, which may contain tokens.
    package init(_ spoken: SocketProtocol, payload: JSONValue? = nil, limits: Limits = Limits()) {
        (self.spoken, self.payload, self.limits) = (spoken, payload, limits)
        reading = .graphQL(upTo: limits.message)
    }

    package var isAcknowledged: Bool { state == .acknowledged }

    package func opened() -> [Action] { send(.initialise(payload)) }

    // MARK: Requests

    /// Starts an operation; its events have the given id.
    package mutating func subscribe(_ request: GraphQLRequest) -> (id: String, actions: [Action]) {
        lastID += 1
        let id = "\(lastID)"
        guard state != .over else { return (id, []) }
        guard state == .acknowledged else {
            waiting.append((id, request.json))
            return (id, [])
        }
        running.insert(id)
        return (id, send(.subscribe(id, request.json)))
    }

    /// Ends a subscription; it has no further events.
    package mutating func unsubscribe(_ id: String) -> [Action] {
        waiting.removeAll { $0.id == id }
        guard running.remove(id) != nil else { return [] }
        return send(.complete(id))
    }

    // MARK: Server messages

    /// Processes a text from the server.
    package mutating func received(_ text: String) -> [Action] {
        guard state != .over else { return [] }
        guard text.utf8.count <= limits.message.bytes else { return close(.tooLarge) }
        do throws(Fault) {
            return handle(try SocketMessage(text, of: .server, in: spoken, limits: reading))
        } catch {
            return close(SocketClose(SocketClose.badResponse.code, error.reason))
        }
    }

    private mutating func handle(_ message: SocketMessage) -> [Action] {
        switch message {
        case .acknowledge(let payload): return acknowledge(payload)
        case .next(let id, let result): return running.contains(id) ? tell(id, .next(result)) : ignore(id)
        case .error(let id, let errors): return finish(id, .error(errors))
        case .complete(let id): return finish(id, .complete)
        case .ping(let payload): return send(.pong(payload))
        case .keepAlive:
            isKeptAlive = true
            return []
        case .refuse(let payload): return [.refused(payload)] + close(.normal)
        default: return []
        }
    }

    private mutating func acknowledge(_ payload: JSONValue?) -> [Action] {
        guard state == .initialising else { return ignore() }
        state = .acknowledged
        var actions: [Action] = [.acknowledged(payload)]
        for (id, request) in waiting {
            running.insert(id)
            actions += send(.subscribe(id, request))
        }
        waiting = []
        return actions
    }

    private mutating func tell(_ id: String, _ event: Event) -> [Action] {
        strayInARow = 0
        return [.deliver(id, event)]
    }

    private mutating func finish(_ id: String, _ event: Event) -> [Action] {
        running.remove(id) == nil ? ignore(id) : tell(id, event)
    }

    /// Messages in transit for a subscription that the client has ended are not an error of the server.
    private mutating func ignore(_ id: String) -> [Action] {
        guard let number = Int(id), (1...max(1, lastID)).contains(number) else { return ignore() }
        stray += 1
        return []
    }

    private mutating func ignore() -> [Action] {
        stray += 1
        strayInARow += 1
        guard strayInARow <= limits.stray else {
            return close(SocketClose(SocketClose.badResponse.code, "messages for subscriptions that are not running"))
        }
        return []
    }

    // MARK: Timers

    package mutating func acknowledgementTimedOut() -> [Action] {
        state == .initialising ? close(.acknowledgementTimeout) : []
    }

    /// A ping for the server; nil in the older protocol, which has none.
    package func ping() -> [Action] { state == .acknowledged ? send(.ping(nil)) : [] }

    // MARK: Closing

    /// Closes the connection.
    package mutating func close(_ close: SocketClose) -> [Action] {
        guard state != .over else { return [] }
        let farewell = close == .normal ? send(.terminate) : []
        (state, waiting, running) = (.over, [], [])
        return farewell + [.close(close)]
    }

    private func send(_ message: SocketMessage) -> [Action] {
        guard state != .over else { return [] }
        return message.text(from: .client, in: spoken).map { [.send($0)] } ?? []
    }
}
