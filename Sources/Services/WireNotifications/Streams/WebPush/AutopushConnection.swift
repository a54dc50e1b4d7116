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
        /// The channels that this connection has asked for, those that the service has not answered yet, and those
        /// whose removal it has asked for.
        var registered: Set<String> = []
        var awaited: Set<String> = []
        var unregistered: Set<String> = []
        /// When this connection has seen that a channel ends.
        var endings: [String: Duration] = [:]
        /// The time of the next look.
        var nextLook: Duration?
        /// When to ask again for channels that the service could not register.
        var retries: [String: Duration] = [:]
        /// The name of the account that the service has given; nil before it has greeted back.
        var name: String?
        /// When the service has greeted back, or sent its last message.
        var heard = Duration.zero
        var isStoring = false
        /// Why this side ends the connection.
        var end: StreamEnd?
    }

    private let account: any WebPushAccount
    private let url: Address
    private let session: StreamSession
    private let state = Mutex(State())
    /// Fires when the service has greeted back.
    private let greeted = OneShot()
    /// Yields when something may be due.
    private let looks: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(account: any WebPushAccount, at url: Address, session: StreamSession) {
        (self.account, self.url, self.session) = (account, url, session)
        (looks, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    private var clock: TimeSource { session.present.host.clock }

    private static let limit = ByteCount.kibibytes(256)
    private static let greetingLimit = Duration.seconds(30)
    /// The close code of a service that is not to be connected to now.
    private static let notNow = 4_774
    /// A connection that the service ends sooner was rejected.
    private static let shortest = Duration.seconds(60)
    /// The pause before a channel is asked for again.
    private static let retryPause = Duration.seconds(60)
    /// The number of unknown channels that the service is asked to remove.
    private static let mostUnknown = 100
    /// Without messages for so long, those of a replaced channel have all arrived.
    private static let quiet = Duration.seconds(10)

    func read(by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        let begun = clock.monotonic()
        let name: String?
        do throws(Fault) { name = try await account.state.name } catch {
            return StreamEnd(NotificationFailure(notStored: error))
        }
        var reader = SocketReader(session: session, keepAlive: .placeholder, limit: Self.limit)
        reader.isGoodOnceOpen = false
        let end = await reader.read(
            session.call(to: .address(url)),
            by: requests,
            until: leave,
            greet: { $0.send(AutopushMessage.hello(name).text) },
            meanwhile: { await self.requestChanges(on: $0) },
            { bytes, socket async throws(NotificationFailure) in try await self.take(bytes, from: socket) }
        )
        return judge(end, lasted: clock.monotonic() - begun)
    }

    private func judge(_ end: StreamEnd, lasted: Duration) -> StreamEnd {
        var end = state.withLock(\.end) ?? end
        guard let close = end.close else { return end }
        if close.code == Self.notNow {
            return StreamEnd(.refused, "the service closed it, and asks not to connect again for now")
        }
        guard close.code == 1_011 else { return end }
        // The service closes a connection for which the same account has another.
        if ["sm", "ghost"].contains(close.reason.lowercased()) {
            return StreamEnd(
                .refused,
                "the service closed it, probably for another runner with the same account: is the store a copy?"
            )
        }
        if lasted < Self.shortest { end.kind = .refused }
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
        await withDiscardingTaskGroup { group in
            group.addTask { [account, signal] in
                for await _ in account.changes() { signal.yield() }
                signal.finish()
            }
            for await _ in looks {
                do throws(Fault) {
                    guard let pause = try await request(on: socket), schedule(pause) else { continue }
                    group.addTask { [clock, signal] in if (try? await clock.sleep(pause)) != nil { signal.yield() } }
                } catch {
                    fail(StreamEnd(NotificationFailure(notStored: error)), on: socket)
                    break
                }
            }
            group.cancelAll()
        }
    }

    /// Whether a look after a pause is needed; one that comes sooner is enough.
    private func schedule(_ pause: Duration) -> Bool {
        let now = clock.monotonic()
        return state.withLock { state in
            if let next = state.nextLook, next > now, next <= now + pause { return false }
            state.nextLook = now + pause
            return true
        }
    }

    /// Sends what is due; returns when to look again, where something is due later.
    private func request(on socket: ServerSocket) async throws(Fault) -> Duration? {
        let (now, channels) = (clock.monotonic(), try await account.state.channels)
        var next: Duration?
        for channel in channels {
            let turn = state.withLock { Self.turn(of: channel, &$0, at: now) }
            switch turn {
            case .send(let message)?: socket.send(message.text)
            case .wait(let pause)?: next = min(next ?? pause, pause)
            case nil: break
            }
        }
        return next
    }

    private enum Turn {
        case send(AutopushMessage)
        case wait(Duration)
    }

    /// What a channel needs now.
    private static func turn(of channel: WebPushState.Channel, _ state: inout State, at now: Duration) -> Turn? {
        if channel.isEnding {
            guard !state.unregistered.contains(channel.id) else { return nil }
            if channel.isRead {
                // The service drops what waits in a channel that it removes.
                let since = state.endings[channel.id] ?? now
                state.endings[channel.id] = since
                let left = max(since, state.heard) + quiet - now
                guard left <= .zero, !state.isStoring else { return .wait(max(left, .seconds(1))) }
            }
            state.unregistered.insert(channel.id)
            return .send(.unregister(channel.id))
        }
        guard channel.endpoint == nil else { return nil }
        if let retry = state.retries[channel.id] {
            guard retry <= now else { return .wait(retry - now) }
            (state.retries[channel.id], _) = (nil, state.registered.remove(channel.id))
        }
        guard state.registered.insert(channel.id).inserted else { return nil }
        state.awaited.insert(channel.id)
        return .send(.register(channel.id, sender: channel.sender))
    }

    // MARK: Messages

    /// Takes a message of the service; returns whether it has stored a notification.
    private func take(_ bytes: [UInt8], from socket: ServerSocket) async throws(NotificationFailure) -> Bool {
        let answer: AutopushAnswer
        do throws(Fault) {
            answer = try AutopushAnswer(bytes, isLocal: url.absolute?.isLoopback ?? url.isStoodInFor)
        } catch {
            fail(StreamEnd(error.reason), on: socket)
            return false
        }
        switch answer {
        case .hello(let name): try await welcome(as: name, on: socket)
        case .registered(let channel, let endpoint):
            guard let name = state.withLock({ $0.awaited.remove(channel) != nil ? $0.name : nil }) else { break }
            let isKnown = try await kept { () async throws(Fault) in
                try await account.opened(channel, at: endpoint, as: name)
                return try await account.state.channels.contains { $0.id == channel }
            }
            // It has ended meanwhile.
            if !isKnown { socket.send(AutopushMessage.unregister(channel).text) }
        case .rejected(let channel, let status): await reject(channel, status)
        case .unregistered(let channel):
            guard state.withLock({ $0.unregistered.contains(channel) }) else { break }
            try await kept { () async throws(Fault) in try await account.closed(channel) }
        case .notification(let message):
            state.withLock { $0.isStoring = true }
            defer { state.withLock { $0.isStoring = false } }
            let result = try await store(message)
            acknowledge(message, result, on: socket)
            return result == .stored
        case .other: break
        }
        return false
    }

    /// Reads or changes the account.
    private func kept<Value>(_ work: () async throws(Fault) -> Value) async throws(NotificationFailure) -> Value {
        do throws(Fault) { return try await work() } catch { throw NotificationFailure(notStored: error) }
    }

    /// The service answers an unknown name with another one: then it has forgotten all channels.
    private func welcome(as name: String, on socket: ServerSocket) async throws(NotificationFailure) {
        guard state.withLock({ $0.name }) == nil else {
            return fail(StreamEnd("the service has greeted twice"), on: socket)
        }
        let known = try await kept { () async throws(Fault) in try await account.state.name }
        if let known, known != name {
            session.present.host.log.notice(
                "the Web Push service does not know this device any more; all subscriptions are made again",
                ["stream": .text(session.name)]
            )
            let isRare = try await kept { () async throws(Fault) in try await account.forgotten() }
            guard isRare else {
                return fail(StreamEnd(.refused, "the service forgets this device again and again"), on: socket)
            }
        }
        state.withLock { ($0.name, $0.heard) = (name, clock.monotonic()) }
        session.opened()
        greeted.fire()
    }

    private func reject(_ channel: String, _ status: Int) async {
        let mayPass = status == 429 || status >= 500
        let isOurs = state.withLock { state in
            guard state.awaited.remove(channel) != nil else { return false }
            if mayPass { state.retries[channel] = clock.monotonic() + Self.retryPause }
            return true
        }
        guard isOurs else { return }
        signal.yield()
        let isSigned = (try? await account.state.channels)?.contains { $0.id == channel && $0.sender != nil } ?? false
        let help = isSigned && !mayPass ? "; is the 'vapid' of the registrar the key of its server?" : ""
        await account.rejected(
            channel,
            because: "the Web Push service rejected a subscription with status \(status)\(help)"
        )
    }

    private func acknowledge(
        _ message: AutopushAnswer.Message,
        _ result: AutopushMessage.Result,
        on socket: ServerSocket
    ) {
        let isUnknown = state.withLock { state in
            state.heard = clock.monotonic()
            guard result == .unknownChannel, state.unregistered.count < Self.mostUnknown else { return false }
            return state.unregistered.insert(message.channel).inserted
        }
        socket.send(AutopushMessage.acknowledge(message, result).text)
        if isUnknown { socket.send(AutopushMessage.unregister(message.channel).text) }
    }

    private func store(_ message: AutopushAnswer.Message) async throws(NotificationFailure) -> AutopushMessage.Result {
        let channels = try await kept { () async throws(Fault) in try await account.state.channels }
        guard let channel = channels.first(where: { $0.id == message.channel }) else {
            session.note(nil, "it is for an unknown subscription")
            return .unknownChannel
        }
        guard channel.isRead else { return .dropped }
        let bytes: [UInt8]
        switch try await kept({ () async throws(Fault) in try await decrypt(message) }) {
        case .unreadable(let reason):
            session.note(nil, reason)
            return .unreadable
        case .message(let decrypted): bytes = decrypted
        }
        let read: WebPushMessage
        do throws(Fault) { read = try WebPushMessage(bytes, of: channel, by: account.service.messages) } catch {
            session.note(nil, error.reason)
            return .dropped
        }
        // A version is long, and may hold more than is to be shown.
        let id = read.id ?? String(session.present.digest(message.version).prefix(24))
        let isStored = try await session.accept(
            read.content,
            id: id,
            of: read.registrar,
            expires: read.expires,
            position: nil
        )
        return isStored ? .stored : .dropped
    }

    private func decrypt(_ message: AutopushAnswer.Message) async throws(Fault) -> DecryptedPush {
        // A message without data is legal.
        guard let data = message.data else { return .message([]) }
        guard message.encoding == "aes128gcm" else {
            return .unreadable("its encoding \((message.encoding ?? "").quoted) is not supported")
        }
        return try await account.decrypt(data, of: message.channel)
    }
}
