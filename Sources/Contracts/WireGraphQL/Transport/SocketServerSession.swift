package import WireBase
package import WireConfig

/// The server's state machine of a GraphQL WebSocket: takes texts, results and timers, and returns actions.
///
/// The caller starts the session with ``opened()``, reports requested timers, and calls ``ended()`` when the connection
/// is lost. After a close, the session only returns subscriptions to stop.
package struct SocketServerSession: Sendable {
    /// The limits of one client.
    package struct Limits: Sendable {
        /// The timeout of `connection_init`.
        package var initialisation: Duration = .seconds(3)
        /// The maximum number of concurrent subscriptions.
        package var subscriptions = 1_000
        /// The maximum size of an incoming message.
        package var message: ByteCount = .mebibytes(1)
        /// The maximum size of a result.
        package var result: ByteCount = .mebibytes(64)

        package init() {}
    }

    /// A subscription; a client may reuse an id for another one.
    package struct Key: Sendable, Hashable {
        package let id: String
        fileprivate let number: Int
    }

    package enum Action: Sendable {
        case send(String)
        /// Call ``initialisationTimedOut()`` after this time.
        case awaitInitialisation(Duration)
        /// Authorize the client by its payload, and call ``accept(_:)`` or ``refuse(_:)``.
        case authorise(JSONValue?)
        case start(Key, GraphQLRequest)
        case stop(Key)
        /// Close the WebSocket; nothing is sent afterwards.
        case close(SocketClose)
    }

    private enum State {
        case new, authorising, accepted, over
    }

    package let spoken: SocketProtocol
    private let limits: Limits
    private let reading: ReadingLimits
    private var state = State.new
    private var running: [String: Key] = [:]
    /// Clients of the older protocol send subscriptions before the acknowledgement.
    private var early: [SocketMessage] = []
    private var earlySize = 0
    private var number = 0

    package init(_ spoken: SocketProtocol, limits: Limits = Limits()) {
        (self.spoken, self.limits) = (spoken, limits)
        reading = .graphQL(upTo: limits.message)
    }

    /// The number of running subscriptions.
    package var count: Int { running.count }

    package func opened() -> [Action] { [.awaitInitialisation(limits.initialisation)] }

    // MARK: Client messages

    /// Processes a text from the client.
    package mutating func received(_ text: String) -> [Action] {
        guard state != .over else { return [] }
        guard text.utf8.count <= limits.message.bytes else { return close(.tooLarge) }
        do throws(Fault) {
            return take(try SocketMessage(text, of: .client, in: spoken, limits: reading), of: text.utf8.count)
        } catch {
            return close(.badRequest(error.reason))
        }
    }

    private mutating func take(_ message: SocketMessage, of size: Int) -> [Action] {
        switch message {
        case .initialise(let payload):
            guard state == .new else { return close(.tooManyInitialisations) }
            state = .authorising
            return [.authorise(payload)]
        case .subscribe, .complete:
            if spoken == .subscriptionsTransportWs, state == .authorising { return hold(message, size) }
            guard state == .accepted else { return close(.unauthorized) }
            return run(message)
        case .ping(let payload): return send(.pong(payload))
        case .terminate: return close(.normal)
        default: return []
        }
    }

    private mutating func hold(_ message: SocketMessage, _ size: Int) -> [Action] {
        earlySize += size
        guard earlySize <= limits.message.bytes else {
            return close(.badRequest("too many messages before the acknowledgement"))
        }
        early.append(message)
        return []
    }

    private mutating func run(_ message: SocketMessage) -> [Action] {
        switch message {
        case .subscribe(let id, let payload): return subscribe(id, payload)
        case .complete(let id): return running.removeValue(forKey: id).map { [.stop($0)] } ?? []
        default: return []
        }
    }

    private mutating func subscribe(_ id: String, _ payload: JSONValue) -> [Action] {
        let request: GraphQLRequest
        do throws(Fault) {
            request = try GraphQLRequest(payload)
        } catch {
            guard spoken == .subscriptionsTransportWs else { return close(.badRequest("'payload': \(error.reason)")) }
            return send(.error(id, [.members(["message": .string(error.reason)])]))
        }
        var actions: [Action] = []
        if let former = running[id] {
            guard spoken == .subscriptionsTransportWs else { return close(.subscriberExists(id)) }
            // In the older protocol, a new subscription replaces one with the same id.
            running[id] = nil
            actions.append(.stop(former))
        }
        guard running.count < limits.subscriptions else {
            let message = "a connection is limited to \(limits.subscriptions) subscriptions"
            return actions + send(.error(id, [.members(["message": .string(message)])]))
        }
        number += 1
        let key = Key(id: id, number: number)
        running[id] = key
        return actions + [.start(key, request)]
    }

    // MARK: Results

    /// Accepts the client.
    package mutating func accept(_ payload: JSONValue? = nil) -> [Action] {
        guard state == .authorising else { return [] }
        state = .accepted
        var actions = send(.acknowledge(payload)) + keepAliveDue()
        for message in early {
            guard state == .accepted else { break }
            actions += run(message)
        }
        early = []
        return actions
    }

    /// Rejects the client.
    package mutating func refuse(_ reason: String) -> [Action] {
        guard state == .authorising else { return [] }
        guard spoken == .subscriptionsTransportWs else { return close(SocketClose(4_403, reason)) }
        return send(.refuse(.members(["message": .string(reason)]))) + close(SocketClose(1_011, reason))
    }

    /// A result of a subscription; ignored where the subscription has ended, and an error where the result is too
    /// large.
    package mutating func next(_ key: Key, _ result: JSONValue) -> [Action] {
        guard running[key.id] == key, let text = SocketMessage.next(key.id, result).text(from: .server, in: spoken)
        else { return [] }
        guard text.utf8.count <= limits.result.bytes else {
            let message = JSONValue.string("the result exceeds \(limits.result); select fewer fields")
            return end(key, .error(key.id, [.members(["message": message])])) + [.stop(key)]
        }
        return [.send(text)]
    }

    /// A subscription was rejected or has failed, which ends it.
    package mutating func error(_ key: Key, _ errors: [JSONValue]) -> [Action] { end(key, .error(key.id, errors)) }

    /// A subscription has no more results.
    package mutating func complete(_ key: Key) -> [Action] { end(key, .complete(key.id)) }

    private mutating func end(_ key: Key, _ message: SocketMessage) -> [Action] {
        guard running[key.id] == key else { return [] }
        running[key.id] = nil
        return send(message)
    }

    // MARK: Timers

    package mutating func initialisationTimedOut() -> [Action] {
        state == .new ? close(.initialisationTimeout) : []
    }

    /// A keep-alive for the client: a message in the older protocol, otherwise WebSocket pings.
    package func keepAliveDue() -> [Action] { state == .accepted ? send(.keepAlive) : [] }

    // MARK: Closing

    /// Closes the connection.
    package mutating func close(_ close: SocketClose) -> [Action] {
        guard state != .over else { return [] }
        return ended() + [.close(close)]
    }

    /// The connection is lost.
    package mutating func ended() -> [Action] {
        state = .over
        early = []
        defer { running = [:] }
        return running.values.sorted { $0.number < $1.number }.map(Action.stop)
    }

    private func send(_ message: SocketMessage) -> [Action] {
        guard state != .over else { return [] }
        return message.text(from: .server, in: spoken).map { [.send($0)] } ?? []
    }
}
