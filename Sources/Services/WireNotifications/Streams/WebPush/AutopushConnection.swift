import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WirePushContract
import WireService
import WireTelemetry

/// A connection to a service with Mozilla's protocol: it registers channels, and takes their messages.
///
/// The service sends a message again until it is acknowledged, and behind some unacknowledged ones no others. So each
/// is acknowledged: once it is on the disk, or because it can never be read.
final class AutopushConnection: Sendable {
    private struct State {
        /// What this connection has asked for already, by channel.
        var registered: Set<String> = []
        var unregistered: Set<String> = []
        /// The name of the account that the service has given.
        var name: String?
        /// Why this side ends the connection.
        var end: StreamEnd?
    }

    private let account: any WebPushAccount
    private let session: StreamSession
    private let state = Mutex(State())
    /// Fires when the service has greeted back.
    private let greeted = OneShot()

    init(account: any WebPushAccount, session: StreamSession) {
        (self.account, self.session) = (account, session)
    }

    private var clock: TimeSource { session.present.host.clock }

    private static let limit = ByteCount.kibibytes(256)
    private static let greetingLimit = Duration.seconds(30)
    /// A connection that the service ends sooner was rejected.
    private static let shortest = Duration.seconds(60)

    func read(by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        let begun = clock.monotonic()
        let name: String?
        do throws(Fault) { name = try account.state.name } catch {
            return StreamEnd(NotificationFailure(notStored: error))
        }
        let reader = SocketReader(session: session, keepAlive: .placeholder, limit: Self.limit)
        var end = await reader.read(
            session.call(to: .address(account.service.url)),
            by: requests,
            until: leave,
            greet: { $0.send(AutopushMessage.hello(name).text) },
            meanwhile: { await self.requestChanges(on: $0) },
            { bytes, socket async throws(NotificationFailure) in try await self.take(bytes, from: socket) }
        )
        if let own = state.withLock(\.end) { end = own }
        if end.closeCode == 1_011, end.reason.lowercased().contains("ghost") {
            end = StreamEnd(.refused, "another runner uses this account of the push service: is the store a copy?")
        } else if end.closeCode == 1_011, clock.monotonic() - begun < Self.shortest {
            end.kind = .refused
        }
        return end
    }

    /// Ends the connection for a reason of this side.
    private func fail(_ end: StreamEnd, on socket: ServerSocket) {
        state.withLock { $0.end = $0.end ?? end }
        socket.close(WebSocketClose(1_000))
    }

    // MARK: Channels

    /// Registers and removes channels whenever they change.
    private func requestChanges(on socket: ServerSocket) async {
        let isGreeted = await withCancellation(greeted) { [clock] in try? await clock.sleep(Self.greetingLimit) } == nil
        guard !Task.isCancelled else { return }
        guard isGreeted else { return fail(StreamEnd("the service has not greeted back"), on: socket) }
        for await _ in account.changes() {
            do throws(Fault) { try request(on: socket) } catch {
                return fail(StreamEnd(NotificationFailure(notStored: error)), on: socket)
            }
        }
    }

    private func request(on socket: ServerSocket) throws(Fault) {
        for channel in try account.state.channels {
            let message: AutopushMessage? = state.withLock { state in
                if channel.isEnding {
                    return state.unregistered.insert(channel.id).inserted ? .unregister(channel.id) : nil
                }
                guard channel.endpoint == nil else { return nil }
                return state.registered.insert(channel.id).inserted
                    ? .register(channel.id, sender: channel.sender) : nil
            }
            if let message { socket.send(message.text) }
        }
    }

    // MARK: Messages

    /// Takes a message of the service; returns whether it has stored a notification or an endpoint.
    private func take(_ bytes: [UInt8], from socket: ServerSocket) async throws(NotificationFailure) -> Bool {
        let answer: AutopushAnswer
        do throws(Fault) { answer = try AutopushAnswer(bytes) } catch {
            fail(StreamEnd(error.reason), on: socket)
            return false
        }
        do throws(Fault) {
            switch answer {
            case .hello(let name):
                try await welcome(as: name)
                return false
            case .registered(let channel, let endpoint):
                try await account.opened(channel, at: endpoint, as: state.withLock(\.name))
                return true
            case .rejected(let channel, let status):
                account.rejected(channel, because: "the Web Push service rejected it with status \(status)")
                return false
            case .unregistered(let channel):
                try await account.closed(channel)
                return false
            case .notification(let message): return try await take(message, from: socket)
            case .other: return false
            }
        } catch {
            throw NotificationFailure(notStored: error)
        }
    }

    /// The service answers an unknown name with another one: then it has forgotten all channels.
    private func welcome(as name: String) async throws(Fault) {
        let known = try account.state.name
        if let known, known != name {
            session.present.host.log.notice(
                "the Web Push service does not know this device any more; all subscriptions are made again",
                ["stream": .text(session.name)]
            )
            try await account.forgotten()
        }
        state.withLock { $0.name = name }
        greeted.fire()
    }

    private func take(_ message: AutopushAnswer.Message, from socket: ServerSocket) async throws(Fault) -> Bool {
        let result = try await store(message)
        socket.send(AutopushMessage.acknowledge(message, result).text)
        if case .unknownChannel = result { socket.send(AutopushMessage.unregister(message.channel).text) }
        return result == .stored
    }

    private func store(_ message: AutopushAnswer.Message) async throws(Fault) -> AutopushMessage.Result {
        guard let channel = try account.state.channels.first(where: { $0.id == message.channel }) else {
            session.note(message.version, "it is for an unknown subscription")
            return .unknownChannel
        }
        guard !channel.isEnding else { return .dropped }
        let content: NotificationEnvelope.Content
        switch try decrypt(message) {
        case .unreadable(let reason):
            session.note(message.version, reason)
            return .unreadable
        case .message(let bytes):
            guard let read = NotificationEnvelope.Content(pushed: bytes) else {
                session.note(message.version, "it is neither JSON nor text")
                return .dropped
            }
            content = read
        }
        do throws(NotificationFailure) {
            // A version is long, and may hold more than is to be shown.
            let id = String(session.present.digest(message.version).prefix(24))
            return try await session.accept(content, id: id, position: nil) ? .stored : .dropped
        } catch {
            throw Fault(error.reason, origin: error.origin)
        }
    }

    private func decrypt(_ message: AutopushAnswer.Message) throws(Fault) -> DecryptedPush {
        // A message without data is legal.
        guard let data = message.data else { return .message([]) }
        guard message.encoding == "aes128gcm" else {
            return .unreadable("its encoding \((message.encoding ?? "").quoted) is not supported")
        }
        return try account.decrypt(data, of: message.channel)
    }
}

extension NotificationEnvelope.Content {
    /// The content of a decrypted push: a JSON object, or a text to show; nil for other bytes.
    init?(pushed bytes: [UInt8]) {
        guard !bytes.isEmpty else {
            self = .push(.object([]))
            return
        }
        if let json = try? JSONValue(parsing: bytes, named: "push", limits: .notification), json.members != nil {
            self = .push(json)
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var notification = NewNotification()
        notification.body = text
        self = .local(notification.json)
    }
}
