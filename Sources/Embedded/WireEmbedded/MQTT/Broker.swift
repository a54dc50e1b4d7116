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
    /// By the digest of the client id, since texts of other bytes can be equal.
    var sessions: [String: ClientSession] = [:]
    var retained: [TopicName: RetainedEntry] = [:]
    /// Counts the messages of shared subscriptions, so that they are divided evenly.
    var turn = 0
    /// The size of the messages in memory, for sessions that end with their connections.
    let held = HeldSize()
    /// When the next session without a connection can end.
    private var nextEnd = Int64.max
    private var isFullTold = false
    private var isLoaded = false
    private var isClosed = false

    struct RetainedEntry {
        let key: String
        let expires: Int64?
    }

    init(_ host: ServiceHost, _ machine: SystemServices) {
        records = BackendRecords(
            host.stores.device.values,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope
        )
        (self.machine, log) = (machine, host.log)
        storedSessions = records.repository(of: .sessions)
        messages = records.repository(of: .messages) { $0.lifetime(at: machine.now) }
        retainedMessages = records.repository(of: .retained) { $0.lifetime(at: machine.now) }
    }

    /// Ends the work of this broker, so that another can read what it has stored.
    func close() async {
        await line.alone {
            for session in sessions.values { session.queue.removeAll() }
            (isClosed, sessions, retained) = (true, [:], [:])
        }
    }

    // MARK: Connections

    /// Begins or continues the session of a client, and sends CONNACK with the messages that wait.
    ///
    /// Throws a ``BrokerStop`` where there is no room for another session.
    func connect(_ packet: Connect, as clientID: String, _ connection: BrokerConnection) async throws {
        try await line.alone {
            try await load()
            try await removeExpired()
            let key = try machine.key(clientID)
            try await endConnection(of: key, isClean: packet.isClean)
            let isPresent = sessions[key] != nil
            let session = try sessions[key] ?? makeSession(clientID, key)
            session.expiry =
                switch packet.version {
                case .v3: packet.isClean ? 0 : BrokerLimits.expiry
                case .v5: min(packet.properties[number: .sessionExpiry] ?? 0, BrokerLimits.expiry)
                }
            (session.left, session.connection) = (nil, connection)
            session.queue.restart()
            do { try await store(session) } catch {
                session.connection = nil
                leave(session)
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

    private func makeSession(_ clientID: String, _ key: String) throws -> ClientSession {
        guard sessions.count < BrokerLimits.sessions else {
            if !isFullTold {
                log.warning(
                    "clients of MQTT are refused: there are too many sessions",
                    ["limit": .integer(BrokerLimits.sessions)]
                )
            }
            isFullTold = true
            throw BrokerStop(.quotaExceeded)
        }
        isFullTold = false
        let session = ClientSession(clientID, key: key, expiry: 0, SessionQueue(held))
        sessions[key] = session
        return session
    }

    /// Ends the present connection of a client, and its session where that does not go on.
    private func endConnection(of key: String, isClean: Bool) async throws {
        guard let session = sessions[key] else { return }
        if let former = session.connection {
            session.connection = nil
            former.end(.sessionTakenOver)
            await publishWill(of: former)
        }
        if isClean || session.expiry == 0 { try await remove(session) }
    }

    /// Publishes the will of a connection that has ended, and keeps or ends its session.
    func leave(_ connection: BrokerConnection) async {
        do {
            try await line.alone {
                let session = session(of: connection)
                if let session {
                    session.connection = nil
                    session.queue.restart()
                    if let expiry = connection.finalExpiry { session.expiry = min(expiry, BrokerLimits.expiry) }
                    leave(session)
                }
                await publishWill(of: connection)
                guard let session else { return }
                if session.expiry == 0 { try await remove(session) } else { try await store(session) }
            }
        } catch {
            note(error)
        }
        guard let client = connection.client else { return }
        log.debug("an MQTT client disconnected", ["client": .text(client.id.shown(upTo: 64))])
    }

    /// Notes that a session has no connection from now on.
    private func leave(_ session: ClientSession) {
        session.left = machine.now
        nextEnd = min(nextEnd, session.end ?? .max)
    }

    private func publishWill(of connection: BrokerConnection) async {
        guard !isClosed, let will = connection.takeWill() else { return }
        await publish(will: BrokerMessage(will, now: machine.now), of: connection.client?.key)
    }

    /// Publishes a will; a failure changes nothing for the session.
    private func publish(will message: BrokerMessage, of publisher: String?) async {
        do { _ = try await route(message, from: publisher, canRefuse: false) } catch { note(error) }
    }

    func note(_ error: any Error) { log.error("the MQTT broker failed", ["reason": .text(Self.words(error))]) }

    /// The session of a connection that has not been taken over.
    func session(of connection: BrokerConnection) -> ClientSession? {
        guard let key = connection.client?.key, let session = sessions[key], session.connection === connection else {
            return nil
        }
        return session
    }

    // MARK: Sessions on the store

    /// Reads what is stored, before the first use.
    private func load() async throws {
        guard !isClosed else { throw BrokerStop(.serverShuttingDown) }
        guard !isLoaded else { return }
        let names = try await storedSessions.names()
        var queues = try await storedQueues(of: Set(names))
        var wills: [(ClientSession, BrokerMessage)] = []
        for name in names {
            guard let stored = try await storedSessions.readable(name)?.record else { continue }
            let queue = SessionQueue(stored: queues.removeValue(forKey: name) ?? [], held)
            let session = ClientSession(stored.clientID, key: name, expiry: UInt32(clamping: stored.expiry), queue)
            session.subscriptions = stored.subscriptions.compactMap { BrokerSubscription(stored: $0) }
            (session.left, session.hasRecord) = (stored.left ?? machine.now, true)
            nextEnd = min(nextEnd, session.end ?? .max)
            sessions[name] = session
            if stored.left == nil, let will = stored.will.flatMap({ StoredPacket.publish($0) }) {
                wills.append((session, BrokerMessage(will, now: machine.now)))
            }
        }
        for name in try await retainedMessages.names() {
            guard let message = try await retainedMessages.readable(name)?.record, let topic = message.topic else {
                continue
            }
            retained[topic] = RetainedEntry(key: name, expires: message.expires)
        }
        isLoaded = true
        // Their connections have ended with the former process.
        for (session, will) in wills {
            await publish(will: will, of: session.key)
            try await store(session)
        }
    }

    /// Returns the stored messages of each session, and removes those without a session.
    private func storedQueues(of sessions: Set<String>) async throws -> [String: [(number: Int, expires: Int64?)]] {
        var queues: [String: [(number: Int, expires: Int64?)]] = [:]
        var left: [String] = []
        for entry in try await records.summaries(on: .messages) {
            let parts = entry.key.split(separator: "/", maxSplits: 1).map(String.init)
            if parts.count == 2, sessions.contains(parts[0]), let number = Int(parts[1]), number > 0 {
                queues[parts[0], default: []].append((number, entry.expires))
            } else {
                left.append(entry.key)
            }
        }
        try await left.together { [messages] in try await messages.remove($0) }
        return queues
    }

    func removeExpired() async throws {
        let now = machine.now
        guard nextEnd <= now else { return }
        for session in sessions.values where session.isOver(at: now) { try await remove(session) }
        nextEnd = sessions.values.compactMap(\.end).min() ?? .max
    }

    func store(_ session: ClientSession) async throws {
        guard session.isStored || session.hasRecord || session.connection?.will != nil else { return }
        try await storedSessions.put(session.stored, of: session.key, if: .always)
        session.hasRecord = true
    }

    private func remove(_ session: ClientSession) async throws {
        session.subscriptions = []
        session.queue.removeAll()
        if session.hasRecord {
            // Last, so that the messages are found again after a failure.
            try await records.clear(.messages, beginning: "\(session.key)/")
            try await storedSessions.remove(session.key)
        }
        sessions[session.key] = nil
    }

    static func words(_ error: any Error) -> String { (error as? StoreFailure)?.reason ?? "\(error)" }
}
