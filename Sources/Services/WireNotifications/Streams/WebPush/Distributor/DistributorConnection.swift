import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireMessageBus
import WireNotificationContract
import WirePushContract
import WireService
import WireTelemetry

/// A connection to the session bus as the connector of a UnifiedPush distributor: the app as the distributor sees it.
///
/// A distributor repeats a message until it gets a reply, if its server keeps messages at all. So each is replied to
/// once it is on the disk, or because it can never be read.
final class DistributorConnection: Sendable {
    private struct State {
        var distributor: Distributor?
        var registrations: DistributorRegistrations?
        /// Whether there was an endpoint or a message.
        var hasRead = false
    }

    private let accounts: any WebPushAccounts
    private let name: String?
    private let session: StreamSession
    private let state = Mutex(State())

    init(_ accounts: any WebPushAccounts, name: String?, session: StreamSession) {
        (self.accounts, self.name, self.session) = (accounts, name, session)
    }

    private var host: NotificationsHost { session.present.host }

    private static let openLimit = Duration.seconds(5)
    /// How often the bus is asked for the app's name, which the former connection may still have.
    private static let nameAttempts = 5
    private static let namePause = Duration.milliseconds(200)

    func read(until leave: OneShot) async -> StreamEnd {
        var end = await session.reading(until: leave) { await self.read() }
        end.hasRead = state.withLock(\.hasRead)
        return end
    }

    private func read() async -> StreamEnd {
        guard let buses = host.find(.messageBuses) else {
            return StreamEnd(.refused, "no message bus available in this program")
        }
        guard let app = host.app, BusName.isWellKnown(app.id.text) else {
            return StreamEnd(.refused, "app.id is not a name for the session bus", at: session.place)
        }
        do throws(BusFailure) {
            let bus = try await buses.openSession(within: Self.openLimit)
            let variable = buses.variable("UNIFIEDPUSH_DISTRIBUTOR")
            let end = await live(on: bus, DistributorFinder(on: bus, name: name, variable: variable), as: app)
            bus.close()
            // The next connection needs the name.
            await bus.ended()
            return end
        } catch {
            return StreamEnd(error, at: session.place)
        }
    }

    // MARK: The connection

    private func live(on bus: any MessageBus, _ finder: DistributorFinder, as app: AppSection) async -> StreamEnd {
        await withTaskGroup(of: StreamEnd?.self) { group in
            for version in [UnifiedPush.Version.first, .second] {
                let calls = bus.calls(to: UnifiedPush.connectorPath, interface: version.connector)
                group.addTask { await self.serve(calls, version, finder) }
            }
            let questions = bus.calls(to: UnifiedPush.connectorPath, interface: UnifiedPush.introspectable)
            group.addTask {
                for await question in questions { question.answer(Self.description(for: question)) }
                return nil
            }
            group.addTask {
                do throws(BusFailure) { return try await self.follow(on: bus, finder, as: app) } catch {
                    return StreamEnd(error, at: self.session.place)
                }
            }
            group.addTask {
                await bus.ended()
                return StreamEnd("the connection to the session bus was lost")
            }
            defer { group.cancelAll() }
            for await case let end? in group { return end }
            return StreamEnd("the stream was closed by the runner")
        }
    }

    private static func description(for call: BusIncomingCall) -> BusIncomingCall.Answer {
        call.member == "Introspect"
            ? .values([.string(UnifiedPush.description)])
            : ConnectorRefusal(.unknownMethod, "unknown method \(call.member.quoted)").answer
    }

    /// Registers at the distributor once there is one; returns when it has left the bus.
    private func follow(on bus: any MessageBus, _ finder: DistributorFinder, as app: AppSection)
        async throws(BusFailure) -> StreamEnd?
    {
        let changes = try await finder.changes()
        try await requestName(app.id.text, on: bus)
        guard let distributor = try await found(by: finder, changes) else { return nil }
        let version = try await distributor.version(on: bus)
        let requests = DistributorRequests(
            distributor: distributor,
            version: version,
            bus: bus,
            app: (app.id.text, app.displayName ?? app.id.text)
        )
        let registrations = DistributorRegistrations(accounts, by: requests, session: session)
        state.withLock { ($0.distributor, $0.registrations) = (distributor, registrations) }
        session.opened()
        return await withTaskGroup(of: StreamEnd?.self) { group in
            group.addTask {
                await registrations.run()
                return nil
            }
            group.addTask {
                for await change in changes where change.ends(distributor) {
                    return StreamEnd("the distributor \(distributor.title) has left the session bus")
                }
                return nil
            }
            defer { group.cancelAll() }
            for await case let end? in group { return end }
            return nil
        }
    }

    private func requestName(_ name: String, on bus: any MessageBus) async throws(BusFailure) {
        for attempt in 1... {
            do throws(BusFailure) { return try await bus.requestName(name) } catch {
                guard error.isRefusal, attempt < Self.nameAttempts, (try? await host.clock.sleep(Self.namePause)) != nil
                else { throw error }
            }
        }
    }

    /// The distributor, once it is on the bus; nil where the connection ends before.
    private func found(by finder: DistributorFinder, _ changes: AsyncStream<BusSignal>) async throws(BusFailure)
        -> Distributor?
    {
        if let distributor = try await finder.find() { return distributor }
        session.waits(because: finder.wanted)
        for await _ in changes {
            if let distributor = try await finder.find() { return distributor }
        }
        return nil
    }

    // MARK: Calls

    /// Answers calls in their order; returns where what they bring cannot be stored now.
    private func serve(
        _ calls: AsyncStream<BusIncomingCall>,
        _ version: UnifiedPush.Version,
        _ finder: DistributorFinder
    )
        async -> StreamEnd?
    {
        for await call in calls {
            do throws(ConnectorRefusal) {
                guard await isFromDistributor(call, finder) else {
                    throw ConnectorRefusal(.accessDenied, "only the distributor may call this")
                }
                let read = try ConnectorCall(call, version)
                do throws(NotificationFailure) {
                    try await take(read)
                } catch {
                    call.answer(ConnectorRefusal(.failed, "it cannot be stored now").answer)
                    return StreamEnd(error)
                }
                call.answer(.values(read.reply(version)))
            } catch {
                session.note(nil, "a call was refused: \(error.text)")
                call.answer(error.answer)
            }
        }
        return nil
    }

    /// Whether the caller owns the distributor's name now.
    private func isFromDistributor(_ call: BusIncomingCall, _ finder: DistributorFinder) async -> Bool {
        if call.sender == state.withLock({ $0.distributor?.owner }) { return true }
        // It may have come a moment ago, or another one in its place.
        return (try? await finder.find())?.owner == call.sender
    }

    private func take(_ call: ConnectorCall) async throws(NotificationFailure) {
        let isNews: Bool
        switch call {
        case .message(let message, of: let token): isNews = try await take(message, of: token)
        case .newEndpoint(let endpoint, of: let token):
            isNews = try await stored { () async throws(Fault) in try await take(endpoint, of: token) }
        case .unregistered(let token):
            // The end of a channel is confirmed so too; the first version then says no token.
            let isLost = try await stored { () async throws(Fault) in
                try found(token).map { !$0.1.isEnding } ?? false
            }
            if isLost { registrations?.lost(token) }
            isNews = false
        }
        guard isNews else { return }
        state.withLock { $0.hasRead = true }
        session.recordData()
    }

    /// Reads or changes an account.
    private func stored(_ work: () async throws(Fault) -> Bool) async throws(NotificationFailure) -> Bool {
        do throws(Fault) { return try await work() } catch { throw NotificationFailure(notStored: error) }
    }

    private var registrations: DistributorRegistrations? { state.withLock(\.registrations) }

    private func found(_ token: String) throws(Fault) -> (any WebPushAccount, WebPushState.Channel)? {
        for account in try accounts.accounts {
            if let channel = try account.state.channels.first(where: { $0.id == token }) { return (account, channel) }
        }
        return nil
    }

    private func take(_ endpoint: String, of token: String) async throws(Fault) -> Bool {
        guard let (account, channel) = try found(token), !channel.isEnding else { return false }
        if channel.endpoint != endpoint { try await account.opened(token, at: endpoint, as: nil) }
        registrations?.opened(token)
        return true
    }

    private func take(_ message: ConnectorCall.Message, of token: String) async throws(NotificationFailure) -> Bool {
        let (account, channel): (any WebPushAccount, WebPushState.Channel)
        let decrypted: DecryptedPush
        do throws(Fault) {
            // A token that is not known here may be of another environment.
            guard let found = try found(token), found.1.isRead else { return false }
            (account, channel) = found
            decrypted = message.body.isEmpty ? .message([]) : try account.decrypt(message.body, of: token)
        } catch {
            throw NotificationFailure(notStored: error)
        }
        let read: WebPushMessage
        switch decrypted {
        case .unreadable(let reason):
            session.note(nil, reason)
            return false
        case .message(let bytes):
            do throws(Fault) { read = try WebPushMessage(bytes, of: channel, by: account.service.messages) } catch {
                session.note(nil, error.reason)
                return false
            }
        }
        let id = read.id ?? String(session.present.digest(message.id ?? Base64.text(of: message.body)).prefix(24))
        return try await session.accept(
            read.content,
            id: id,
            of: read.registrar,
            expires: read.expires,
            position: nil
        )
    }
}

extension StreamEnd {
    /// Makes the end of a connection to a bus; without a bus, a retry would fail too.
    fileprivate init(_ failure: BusFailure, at place: ValueOrigin?) {
        switch failure.kind {
        case .absent:
            self.init(.refused, "\(failure.reason); run the runner as a service of a user", at: place)
        case .refused(name: ""): self.init(.refused, failure.reason, at: place)
        default: self.init(failure.reason)
        }
    }
}
