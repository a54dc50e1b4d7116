import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireMessageBus
import WireNotificationContract
import WirePushContract
import WireService

/// A connection to the session bus as the connector of a UnifiedPush distributor: the app as the distributor sees it.
///
/// It stays while distributors come and go, since messages to a name that is not on the bus are lost with servers that
/// send them once.
final class DistributorConnection: Sendable {
    private struct State {
        var distributor: Distributor?
        var registrations: DistributorRegistrations?
        var formers: FormerDistributors?
        /// Whether there was a message or another endpoint, over this connection and from this distributor.
        var hasRead = false
        var hasReadOfThis = false
    }

    let accounts: any WebPushAccounts
    private let name: String?
    let session: StreamSession
    private let state = Mutex(State())

    init(_ accounts: any WebPushAccounts, name: String?, session: StreamSession) {
        (self.accounts, self.name, self.session) = (accounts, name, session)
    }

    private var host: NotificationsHost { session.present.host }
    var clock: TimeSource { host.clock }

    /// The distributor that is in use, and the registrations there.
    var distributor: Distributor? { state.withLock(\.distributor) }
    var registrations: DistributorRegistrations? { state.withLock(\.registrations) }
    /// The registrations at distributors that were in use before.
    var formers: FormerDistributors? { state.withLock(\.formers) }

    private static let openLimit = Duration.seconds(5)
    /// How long another program may have the app's name before that is reported.
    private static let namePatience = Duration.seconds(5)

    func recordNews() {
        state.withLock { ($0.hasRead, $0.hasReadOfThis) = (true, true) }
        session.recordData()
    }

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
        let formers = FormerDistributors(finder, app: Self.names(of: app), session: session)
        state.withLock { $0.formers = formers }
        return await withTaskGroup(of: StreamEnd?.self) { group in
            for version in [UnifiedPush.Version.first, .second] {
                let calls = bus.calls(to: UnifiedPush.connectorPath, interface: version.connector)
                group.addTask {
                    await self.serve(calls, version, finder)
                    return nil
                }
            }
            let questions = bus.calls(to: UnifiedPush.connectorPath, interface: UnifiedPush.introspectable)
            group.addTask {
                for await question in questions { question.answer(Self.description(for: question)) }
                return nil
            }
            group.addTask {
                await formers.run()
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

    /// Registers whenever there is a distributor, until the connection ends.
    private func follow(on bus: any MessageBus, _ finder: DistributorFinder, as app: AppSection)
        async throws(BusFailure) -> StreamEnd?
    {
        let changes = try await finder.changes()
        try await requestName(app.id.text, on: bus)
        var pause = ReconnectBackoff()
        while let distributor = try await found(by: finder, changes) {
            let begun = clock.monotonic()
            state.withLock { ($0.distributor, $0.hasReadOfThis) = (distributor, false) }
            try await stay(with: distributor, on: bus, changes, as: app)
            var end = StreamEnd("the distributor \(distributor.title) has left the session bus")
            end.hasStood = clock.monotonic() - begun >= StreamHealth.settling
            end.hasRead = state.withLock { state in
                (state.distributor, state.registrations) = (nil, nil)
                return state.hasReadOfThis
            }
            guard !Task.isCancelled else { return nil }
            session.lost(end)
            let wait = pause.after(end, chance: .random(in: 0...1))
            guard (try? await clock.sleep(wait)) != nil else { return nil }
        }
        return nil
    }

    /// Keeps the channels registered until the distributor leaves.
    private func stay(
        with distributor: Distributor,
        on bus: any MessageBus,
        _ changes: AsyncStream<BusSignal>,
        as app: AppSection
    ) async throws(BusFailure) {
        let requests = DistributorRequests(
            distributor: distributor,
            version: try await distributor.version(on: bus),
            bus: bus,
            app: Self.names(of: app)
        )
        let registrations = DistributorRegistrations(accounts, by: requests, formers, session: session)
        state.withLock { $0.registrations = registrations }
        session.opened()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await registrations.run() }
            group.addTask { [clock, session] in
                if (try? await clock.sleep(StreamHealth.settling)) != nil { session.settled() }
            }
            for await change in changes where change.ends(distributor) { break }
            group.cancelAll()
        }
    }

    // MARK: Names

    /// The app as distributors see it.
    private static func names(of app: AppSection) -> (id: String, name: String) {
        (app.id.text, app.displayName ?? app.id.text)
    }

    /// Acquires the app's name, which the connection before this one may still have, or another runner.
    private func requestName(_ name: String, on bus: any MessageBus) async throws(BusFailure) {
        let rule = BusRule(
            interface: BusDriver.name,
            path: BusDriver.path,
            member: "NameOwnerChanged",
            sender: BusDriver.name,
            firstArgument: name
        )
        let changes = try await bus.signals(rule)
        while true {
            do throws(BusFailure) { return try await bus.requestName(name) } catch {
                guard error.kind == .refused(name: "") else { throw error }
                await wait(until: changes, because: error.reason)
                guard !Task.isCancelled else { throw BusFailure(.cancelled, error.reason) }
            }
        }
    }

    /// Returns when the name has no owner, or at the end of the connection.
    private func wait(until changes: AsyncStream<BusSignal>, because reason: String) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [clock, session] in
                if (try? await clock.sleep(Self.namePatience)) != nil { session.waits(because: reason) }
            }
            for await change in changes where change.values.count == 3 && change.values[2].text == "" { break }
            group.cancelAll()
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
}

extension StreamEnd {
    /// Makes the end of a connection to a bus; without a bus, a retry would fail too.
    fileprivate init(_ failure: BusFailure, at place: ValueOrigin?) {
        switch failure.kind {
        case .absent:
            self.init(.refused, "\(failure.reason); run the runner as a service of a user", at: place)
        default: self.init(failure.reason)
        }
    }
}
