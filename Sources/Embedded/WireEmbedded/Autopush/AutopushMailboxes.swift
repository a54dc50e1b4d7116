import Synchronization
import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore

/// The receivers of an autopush server, with the messages that each of them has not acknowledged.
///
/// Messages are stored before they are sent, also to a connected receiver: those that are not acknowledged come again,
/// even where this program was killed. A message with a time to live of 0 is sent to a connected receiver only.
final class AutopushMailboxes: Sendable {
    struct State {
        /// Where the server listens; nil before it does.
        var origin: Origin?
        /// The latest connection of each receiver.
        var connections: [AutopushUserID: AutopushConnection] = [:]
    }

    let users: Repository<AutopushUser>
    let messages: Repository<AutopushMessage>
    let machine: SystemServices
    /// Serializes changes, so that a message is sent once, and in the order of the store.
    let line = AsyncMutex()
    let state = Mutex(State())
    private let records: BackendRecords<AutopushTables>

    /// The largest number of messages of a receiver; with more, the receiver is forgotten at its next connection.
    static let limit = 150
    /// The number of stored messages that are sent before the receiver must acknowledge all of them.
    private static let batch = 10

    init(_ host: ServiceHost, _ machine: SystemServices) {
        records = BackendRecords(
            host.stores.device.values,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope
        )
        self.machine = machine
        users = records.repository(of: .users) { _ in AutopushUser.lifetime }
        messages = records.repository(of: .messages) { .seconds($0.lifetime) }
    }

    /// Sets where the server listens.
    func update(at origin: Origin) { state.withLock { $0.origin = origin } }

    /// The origin of endpoints; nil before the server listens.
    var origin: Origin? { state.withLock { $0.origin } }

    /// Returns what makes tokens and ids; its key is created where the store has none.
    func names() async throws -> AutopushNames {
        if let key = try await storedKey() { return AutopushNames(key: key, machine.secrecy) }
        return try await line.alone {
            if let key = try await storedKey() { return AutopushNames(key: key, machine.secrecy) }
            let key = try machine.secrecy.random(AutopushNames.keySize)
            try await records.put(.members(["key": .string(Base64URL.text(of: key))]), "key", on: .account)
            return AutopushNames(key: Secret(key), machine.secrecy)
        }
    }

    private func storedKey() async throws(StoreFailure) -> Secret<[UInt8]>? {
        try await records.find("key", on: .account)?["key"]?.string.flatMap { Base64URL.bytes(of: $0) }.map {
            Secret($0)
        }
    }

    // MARK: Connections

    /// Answers the first message of a connection, then sends the stored messages.
    ///
    /// A receiver that is not known gets a new uaid, which is stored with its first channel.
    func greet(_ connection: AutopushConnection, uaid claimed: String?) async throws {
        let names = try await names()
        try await line.alone {
            var uaid = Hexadecimal.text(of: try machine.secrecy.random(16))
            var known: AutopushUser?
            if let claimed, AutopushUserID.isUAID(claimed) {
                let id = try AutopushUserID(uaid: claimed, machine.secrecy)
                known = try await users.readable(id.text)?.record
                if known != nil { uaid = claimed }
            }
            let id = try AutopushUserID(uaid: uaid, machine.secrecy)
            // Renews the lifetime.
            if let known { try await users.put(known, of: id.text, if: .always) }
            let former = state.withLock { state in
                defer { state.connections[id] = connection }
                return state.connections[id]
            }
            former?.end(.ghost)
            connection.identify(as: id)
            connection.send([
                "messageType": .string("hello"), "uaid": .string(uaid), "status": .integer(200),
                "use_webpush": .boolean(true), "broadcasts": .object([]),
            ])
            try await sendNext(to: connection, id, names)
        }
    }

    func leave(_ connection: AutopushConnection) {
        guard let id = connection.user else { return }
        state.withLock { state in
            if state.connections[id] === connection { state.connections[id] = nil }
        }
    }

    /// Sends the next stored messages, once all of the last ones are acknowledged.
    private func sendNext(to connection: AutopushConnection, _ id: AutopushUserID, _ names: AutopushNames) async throws
    {
        guard connection.queue.withLock({ $0.batch.isEmpty && !$0.isDrained }) else { return }
        let stored = try await waiting(for: id)
        guard stored.count <= Self.limit else { return try await drop(id) }
        var count = 0
        for message in stored where !connection.queue.withLock({ $0.sent.contains(message) }) {
            guard count < Self.batch else { return }
            // A message that cannot be read is not sent on this connection, and stays stored.
            if try await send(message, to: connection, inBatch: true, names) { count += 1 }
        }
        connection.queue.withLock { $0.isDrained = true }
    }

    /// The stored messages of a receiver in the order of delivery, at most one more than the limit.
    func waiting(for id: AutopushUserID) async throws(StoreFailure) -> [AutopushMessageID] {
        try await records.keys(on: .messages, prefix: "\(id.text)/", limit: Self.limit + 1)
            .compactMap { AutopushMessageID(key: $0, of: id) }
    }

    /// Sends a stored message; returns whether it could be read.
    @discardableResult
    func send(_ id: AutopushMessageID, to connection: AutopushConnection, inBatch: Bool, _ names: AutopushNames)
        async throws
        -> Bool
    {
        let message = try await messages.readable(id.key)?.record
        connection.queue.withLock { queue in
            queue.sent.insert(id)
            if inBatch, message != nil { queue.batch.insert(id) }
        }
        guard let message else { return false }
        connection.send(message.notification(version: try names.version(of: id)))
        return true
    }

    /// Forgets a receiver with its messages, and ends its connection.
    func drop(_ id: AutopushUserID) async throws {
        try await users.remove(id.text)
        try await records.clear(.messages, beginning: "\(id.text)/")
        state.withLock { $0.connections.removeValue(forKey: id) }?.end(.dropped)
    }

    // MARK: Channels

    /// Adds a channel and answers with its endpoint; a channel that is registered again keeps its endpoint.
    func register(_ channel: ChannelID, key: String?, by id: AutopushUserID, on connection: AutopushConnection)
        async throws
    {
        let names = try await names()
        func answer(_ status: Int, _ endpoint: String = "") {
            connection.send([
                "messageType": .string("register"), "channelID": .string(channel.text), "status": .integer(status),
                "pushEndpoint": .string(endpoint),
            ])
        }
        var endpoint = AutopushEndpoint(user: id, channel: channel)
        if let key {
            // Some clients pad the text.
            let digits = Array(key.utf8.prefix { $0 != UInt8(ascii: "=") })
            guard let point = Base64URL.bytes(of: digits[...]), PublicKey(point: point) != nil else {
                return answer(400)
            }
            endpoint.keyDigest = try names.digest(ofKey: point)
        }
        guard let origin else { return answer(500) }
        let place = "\(origin)/wpush/\(endpoint.version)/\(try names.token(of: endpoint))"
        let isAdded = try await line.alone { try await add(channel, to: id) }
        answer(isAdded ? 200 : 500, isAdded ? place : "")
    }

    /// Adds a channel to a receiver; returns whether there is room.
    private func add(_ channel: ChannelID, to id: AutopushUserID) async throws -> Bool {
        var user = try await users.readable(id.text)?.record ?? AutopushUser()
        if user.channels.contains(channel.text) { return true }
        guard user.channels.count < AutopushUser.limit else { return false }
        user.channels.append(channel.text)
        do throws(StoreFailure) {
            try await users.put(user, of: id.text, if: .always)
            return true
        } catch {
            guard error.kind == .full else { throw error }
            return false
        }
    }

    /// Removes a channel with its messages.
    func unregister(_ channel: ChannelID, by id: AutopushUserID, on connection: AutopushConnection) async throws {
        let names = try await names()
        try await line.alone {
            if var user = try await users.readable(id.text)?.record, user.channels.contains(channel.text) {
                user.channels.removeAll { $0 == channel.text }
                try await users.put(user, of: id.text, if: .always)
                for message in try await waiting(for: id)
                where try await messages.readable(message.key)?.record.channel == channel.text {
                    try await messages.remove(message.key)
                    connection.forget(message)
                }
            }
            connection.send([
                "messageType": .string("unregister"), "channelID": .string(channel.text), "status": .integer(200),
            ])
            try await sendNext(to: connection, id, names)
        }
    }

    // MARK: Acknowledging

    /// Removes acknowledged messages, then sends the next ones; versions of other receivers are ignored.
    func acknowledge(
        _ updates: [(channel: ChannelID, version: String)],
        by id: AutopushUserID,
        on connection: AutopushConnection
    ) async throws {
        let names = try await names()
        try await line.alone {
            for update in updates {
                guard let message = try names.message(of: update.version), message.user == id else { continue }
                if let stored = try await messages.readable(message.key)?.record {
                    guard stored.channel == update.channel.text else { continue }
                    try await messages.remove(message.key)
                }
                connection.forget(message)
            }
            try await sendNext(to: connection, id, names)
        }
    }
}
