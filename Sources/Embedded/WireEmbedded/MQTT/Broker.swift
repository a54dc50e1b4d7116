import WireBackends
import WireBase
import WireConfig
import WireMQTT
import WireService
import WireStore
import WireTelemetry

/// The sessions, subscriptions and retained messages of the MQTT broker.
///
/// A message with QoS 1 for a session that outlives its connection is stored before its publisher gets PUBACK, and stays
/// stored until the client has acknowledged it. Without access control, as the other servers for development.
actor Broker {
    let records: BackendRecords<BrokerTables>
    let messages, retainedMessages: Repository<BrokerMessage>
    private let storedSessions: Repository<StoredSession>
    let machine: SystemServices
    let log: Log
    /// Serializes changes, so that messages keep their order.
    let line = AsyncMutex()
    /// By the client id.
    var sessions: [String: ClientSession] = [:]
    var retained: [TopicName: RetainedEntry] = [:]
    /// Counts the messages of shared subscriptions, so that they are divided evenly.
    var turn = 0
    private var isLoaded = false

    struct RetainedEntry {
        let key: String
        let expires: Int64?
    }

    init(_ host: ServiceHost, _ machine: SystemServices) {
        records = BackendRecords(
            host.stores.values,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope
        )
        (self.machine, log) = (machine, host.log)
        storedSessions = records.repository(of: .sessions)
        messages = records.repository(of: .messages) { $0.lifetime(at: machine.now) }
        retainedMessages = records.repository(of: .retained) { $0.lifetime(at: machine.now) }
    }

    // MARK: Connections

    /// Begins or continues the session of a client, and sends CONNACK with the messages that wait.
    ///
    /// Throws a ``BrokerStop`` where there is no room for another session.
    func connect(_ packet: Connect, as clientID: String, _ connection: BrokerConnection) async throws {
        try await line.alone {
            try await load()
            try await removeExpired()
            try await endConnection(of: clientID, isClean: packet.isClean)
            let isPresent = sessions[clientID] != nil
            let session = try sessions[clientID] ?? makeSession(clientID)
            session.expiry =
                switch packet.version {
                case .v3: packet.isClean ? 0 : BrokerLimits.expiry
                case .v5: min(packet.properties[number: .sessionExpiry] ?? 0, BrokerLimits.expiry)
                }
            (session.left, session.connection) = (nil, connection)
            session.queue.restart()
            do { try await store(session) } catch {
                (session.left, session.connection) = (machine.now, nil)
                throw error
            }
            connection.send(accepted(packet, clientID, session, isPresent: isPresent))
            log.debug("an MQTT client connected", ["client": .text(clientID.shown(upTo: 64))])
            try await sendNext(to: session)
        }
    }

    private func accepted(_ packet: Connect, _ clientID: String, _ session: ClientSession, isPresent: Bool) -> Packet {
        var ack = ConnectAck(.success, isSessionPresent: isPresent)
        ack.properties[number: .maximumQoS] = 1
        ack.properties[number: .maximumPacketSize] = UInt32(clamping: BrokerLimits.packet.bytes)
        if packet.clientID.isEmpty { ack.properties[text: .assignedClientID] = clientID }
        if let wanted = packet.properties[number: .sessionExpiry], wanted != session.expiry {
            ack.properties[number: .sessionExpiry] = session.expiry
        }
        return .connectAck(ack)
    }

    private func makeSession(_ clientID: String) throws -> ClientSession {
        guard sessions.count < BrokerLimits.sessions else { throw BrokerStop(.quotaExceeded) }
        let session = ClientSession(clientID, key: try machine.key(clientID), expiry: 0)
        sessions[clientID] = session
        return session
    }

    /// Ends the present connection of a client, and its session where that does not go on.
    private func endConnection(of clientID: String, isClean: Bool) async throws {
        guard let session = sessions[clientID] else { return }
        if let former = session.connection {
            session.connection = nil
            former.end(.sessionTakenOver)
            try await publishWill(of: former)
        }
        if isClean || session.expiry == 0 { try await remove(session) }
    }

    /// Publishes the will of a connection that has ended, and keeps or ends its session.
    func leave(_ connection: BrokerConnection) async {
        do {
            try await line.alone {
                let session = session(of: connection)
                session?.connection = nil
                try await publishWill(of: connection)
                guard let session else { return }
                if let expiry = connection.finalExpiry { session.expiry = min(expiry, BrokerLimits.expiry) }
                session.left = machine.now
                if session.expiry == 0 { try await remove(session) } else { try await store(session) }
            }
        } catch {
            log.error("the MQTT broker failed", ["reason": .text(Self.words(error))])
        }
        guard let client = connection.client else { return }
        log.debug("an MQTT client disconnected", ["client": .text(client.id.shown(upTo: 64))])
    }

    private func publishWill(of connection: BrokerConnection) async throws {
        guard let will = connection.takeWill() else { return }
        let message = BrokerMessage(will, now: machine.now)
        _ = try await route(message, from: connection.client?.id, canRefuse: false)
    }

    /// The session of a connection that has not been taken over.
    func session(of connection: BrokerConnection) -> ClientSession? {
        guard let id = connection.client?.id, let session = sessions[id], session.connection === connection else {
            return nil
        }
        return session
    }

    // MARK: Sessions on the store

    /// Reads what is stored, before the first use.
    private func load() async throws {
        guard !isLoaded else { return }
        for name in try storedSessions.names() {
            guard let stored = try storedSessions.readable(name)?.record else { continue }
            let session = ClientSession(stored.clientID, key: name, expiry: UInt32(clamping: stored.expiry))
            session.subscriptions = stored.subscriptions.compactMap { BrokerSubscription(stored: $0) }
            (session.left, session.hasRecord) = (stored.left ?? machine.now, true)
            let keys = try records.keys(on: .messages, prefix: "\(name)/", limit: BrokerLimits.queued)
            session.queue = SessionQueue(stored: keys.compactMap { Int($0.dropFirst(name.count + 1)) })
            sessions[stored.clientID] = session
        }
        for name in try retainedMessages.names() {
            guard let message = try retainedMessages.readable(name)?.record, let topic = message.topic else { continue }
            retained[topic] = RetainedEntry(key: name, expires: message.expires)
        }
        isLoaded = true
    }

    func removeExpired() async throws {
        let now = machine.now
        for session in sessions.values where session.isOver(at: now) { try await remove(session) }
    }

    func store(_ session: ClientSession) async throws {
        guard session.isStored || session.hasRecord else { return }
        try await storedSessions.put(session.stored, of: session.key, if: .always)
        session.hasRecord = true
    }

    private func remove(_ session: ClientSession) async throws {
        sessions[session.clientID] = nil
        guard session.hasRecord else { return }
        try await storedSessions.remove(session.key)
        try await records.clear(.messages, beginning: "\(session.key)/")
    }

    static func words(_ error: any Error) -> String { (error as? StoreFailure)?.reason ?? "\(error)" }
}
