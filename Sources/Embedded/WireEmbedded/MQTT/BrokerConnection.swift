import Synchronization
import WireBase
import WireConfig
import WireMQTT
import WireSecrets
import WireTelemetry

/// A connection of a client: reads its packets, and ends it when the client is silent or breaks the rules.
final class BrokerConnection: Sendable {
    /// The client, as its CONNECT says.
    struct Client: Sendable {
        let id: String
        /// The digest of the id.
        let key: String
        let version: ProtocolVersion
        /// In seconds; 0 is none.
        let keepAlive: UInt16
        /// The messages it takes before it acknowledges the first.
        let window: Int
        /// The largest packet it takes.
        let largest: Int
        /// Whether its session outlives the connection.
        let hasExpiry: Bool
    }

    private struct State {
        var client: Client?
        var will: Connect.Will?
        /// The session expiry that DISCONNECT names.
        var finalExpiry: UInt32?
        /// When the last packet arrived.
        var heard: Duration
        var isEnded = false
    }

    private let transport: any BrokerTransport
    private let broker: Broker
    private let clock: TimeSource
    private let log: Log
    /// The code of a fault, with which CONNECT is refused.
    private let refusal: ReasonCode?
    private let state: Mutex<State>
    private let connected = ChangeSignal()

    init(
        _ transport: any BrokerTransport,
        _ broker: Broker,
        _ clock: TimeSource,
        _ log: Log,
        refusing refusal: ReasonCode? = nil
    ) {
        (self.transport, self.broker, self.clock, self.log) = (transport, broker, clock, log)
        self.refusal = refusal
        state = Mutex(State(heard: clock.monotonic()))
    }

    /// The client; nil before its CONNECT.
    var client: Client? { state.withLock { $0.client } }
    var finalExpiry: UInt32? { state.withLock { $0.finalExpiry } }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// The will, until it is published or taken back.
    var will: Connect.Will? { state.withLock { $0.will } }

    /// Returns the will once; nil where the client has taken it back.
    func takeWill() -> Connect.Will? { state.withLock { $0.will.take() } }

    // MARK: Running

    /// Returns when the connection has ended.
    func run(until ending: OneShot) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await ending.wait()
                if ending.hasFired { self.end(.serverShuttingDown) }
            }
            group.addTask { await self.watch() }
            await read()
            group.cancelAll()
        }
        await broker.leave(self)
        close()
    }

    /// Ends the connection of a client that is silent.
    private func watch() async {
        await connected.wait(after: 0, atMost: BrokerLimits.connect, clock)
        guard !Task.isCancelled else { return }
        guard let client else { return end(.keepAliveTimeout) }
        guard client.keepAlive > 0 else { return }
        let limit = Duration.milliseconds(Int64(client.keepAlive) * 1_500)
        while !Task.isCancelled {
            let left = state.withLock { $0.heard } + limit - clock.monotonic()
            guard left > .zero else { return end(.keepAliveTimeout) }
            try? await clock.sleep(left)
        }
    }

    private func read() async {
        var reader = PacketReader(nil, limit: BrokerLimits.packet)
        while !isEnded, let bytes = await transport.receive() {
            reader.add(bytes)
            do {
                while !isEnded, let packet = try reader.next() {
                    state.withLock { $0.heard = clock.monotonic() }
                    try await take(packet)
                }
            } catch let error as PacketError {
                refuse(error)
            } catch let stop as BrokerStop {
                end(stop.code)
            } catch {
                if !Task.isCancelled { await broker.note(error) }
                end(.unspecified)
            }
        }
    }

    private func refuse(_ error: PacketError) {
        log.debug("packets of an MQTT client were rejected", ["reason": .text(error.reason)])
        // The answer that clients of all versions understand.
        if client == nil, error.code == .unsupportedVersion { write(.connectAck(ConnectAck(error.code)), in: .v3) }
        end(error.code)
    }

    // MARK: Packets

    private func take(_ packet: Packet) async throws {
        if case .connect(let connect) = packet {
            guard client == nil else { throw BrokerStop(.protocolError) }
            return try await greet(connect)
        }
        guard let client else { throw BrokerStop(.protocolError) }
        switch packet {
        case .publish(let message):
            try check(message)
            let code = try await broker.publish(message, on: self)
            if message.qos == .atLeastOnce { send(Acknowledgement.message(message.id, code)) }
        case .acknowledge(let ack) where ack.kind == .publishAck: try await broker.acknowledge(ack.id, on: self)
        case .subscribe(let subscribe):
            guard subscribe.properties.numbers(of: .subscriptionID).count <= 1 else {
                throw BrokerStop(.protocolError)
            }
            try await broker.subscribe(subscribe, on: self)
        case .unsubscribe(let unsubscribe): try await broker.unsubscribe(unsubscribe, on: self)
        case .ping: send(.pong)
        case .disconnect(let disconnect): try take(disconnect, of: client)
        default: throw BrokerStop(.protocolError)
        }
    }

    private func greet(_ connect: Connect) async throws {
        do {
            if let refusal { throw BrokerStop(refusal) }
            let client = try BrokerConnection.Client(connect, broker.machine)
            state.withLock { ($0.client, $0.will) = (client, connect.will) }
            connected.signal()
            try await broker.connect(connect, as: client.id, self)
        } catch {
            state.withLock { $0.will = nil }
            let code = (error as? BrokerStop)?.code ?? .serverUnavailable
            write(.connectAck(ConnectAck(code)), in: connect.version)
            close()
            if !(error is BrokerStop) { throw error }
        }
    }

    private func check(_ message: Publish) throws {
        guard message.qos <= .atLeastOnce else { throw BrokerStop(.qualityNotSupported) }
        guard message.topic?.hasFewLevels ?? true else { throw BrokerStop(.invalidTopicName) }
        // No aliases are offered.
        guard message.properties[number: .topicAlias] == nil else { throw BrokerStop(.invalidTopicAlias) }
        guard message.properties.numbers(of: .subscriptionID).isEmpty else { throw BrokerStop(.protocolError) }
        if let topic = message.properties[text: .responseTopic], TopicName(topic) == nil {
            throw BrokerStop(.protocolError)
        }
    }

    private func take(_ disconnect: Disconnect, of client: Client) throws {
        if let expiry = disconnect.properties[number: .sessionExpiry] {
            guard client.hasExpiry || expiry == 0 else { throw BrokerStop(.protocolError) }
            state.withLock { $0.finalExpiry = expiry }
        }
        // The connection is closed once the session is stored: the client then knows that its will is gone.
        state.withLock { state in
            if disconnect.code == .success { state.will = nil }
            state.isEnded = true
        }
    }

    // MARK: Sending

    /// Sends a packet; false where it is too large for the client.
    @discardableResult
    func send(_ packet: Packet) -> Bool {
        guard let client, !isEnded, let bytes = try? packet.encoded(in: client.version), bytes.count <= client.largest
        else { return isEnded }
        transport.send(bytes)
        return true
    }

    /// Sends a message with QoS 0; returns false where the client reads too slowly.
    @discardableResult
    func sendUnlessBusy(_ message: BrokerMessage, at now: Int64) -> Bool {
        guard !message.isExpired(at: now) else { return true }
        guard transport.unsent < BrokerLimits.unsent else { return false }
        send(message.packet(isDuplicate: false, at: now))
        return true
    }

    private func write(_ packet: Packet, in version: ProtocolVersion) {
        if let bytes = try? packet.encoded(in: version) { transport.send(bytes) }
    }

    /// Ends the connection; a client of MQTT 5 is told why.
    func end(_ code: ReasonCode) {
        if client?.version == .v5 { send(.disconnect(Disconnect(code))) }
        close()
    }

    private func close() {
        state.withLock { $0.isEnded = true }
        transport.close()
    }
}

extension BrokerConnection.Client {
    /// Checks a CONNECT; throws the code of the response that refuses it.
    fileprivate init(_ connect: Connect, _ machine: SystemServices) throws {
        guard connect.properties[text: .authenticationMethod] == nil else {
            throw BrokerStop(.badAuthenticationMethod)
        }
        if let will = connect.will {
            guard will.qos <= .atLeastOnce else { throw BrokerStop(.qualityNotSupported) }
            guard will.topic.hasFewLevels else { throw BrokerStop(.invalidTopicName) }
        }
        // A session of an older client without an id would be lost to it.
        guard connect.clientID.utf8.count <= BrokerLimits.name,
            !connect.clientID.isEmpty || connect.version == .v5 || connect.isClean
        else { throw BrokerStop(.invalidClientID) }
        id = connect.clientID.isEmpty ? "auto-\(try machine.secret(16))" : connect.clientID
        key = try machine.key(id)
        (version, keepAlive) = (connect.version, connect.keepAlive)
        window = min(Int(connect.properties[number: .receiveMaximum] ?? 65_535), BrokerLimits.window)
        largest = Int(connect.properties[number: .maximumPacketSize] ?? UInt32.max)
        hasExpiry = connect.properties[number: .sessionExpiry] ?? 0 > 0
    }
}

extension TopicName {
    /// Whether it has no more levels than the broker matches.
    fileprivate var hasFewLevels: Bool { levels.count <= BrokerLimits.levels }
}
