import Synchronization
import WireBase
import WireMessageBus
import WireService
import WireTelemetry

/// Ends the registrations of channels at distributors that were in use before.
///
/// A distributor that is not on the bus is told when it brings a message.
final class FormerDistributors: Sendable {
    /// A channel at a former distributor.
    struct Registration: Sendable, Hashable {
        let channel: String
        /// The name of the distributor.
        let distributor: String
    }

    private struct State {
        /// Those whose messages are still read.
        var leaving: Set<Registration> = []
        /// Those whose end was requested, or is about to be.
        var ended: Set<Registration> = []
    }

    private let finder: DistributorFinder
    private let app: (id: String, name: String)
    private let session: StreamSession
    private let state = Mutex(State())
    private let requests: AsyncStream<Registration>
    private let continuation: AsyncStream<Registration>.Continuation

    /// How long messages that are on their way are still read.
    private static let quiet = Duration.seconds(10)
    /// The number of registrations that are ended over a connection.
    private static let most = 1_000

    init(_ finder: DistributorFinder, app: (id: String, name: String), session: StreamSession) {
        (self.finder, self.app, self.session) = (finder, app, session)
        (requests, continuation) = AsyncStream.makeStream(of: Registration.self)
    }

    /// Ends a registration after its channel got an endpoint of another distributor.
    func leave(_ registration: Registration) { end(registration, isRead: true) }

    /// Ends a registration whose distributor has brought a message that is not read any more.
    func reject(_ registration: Registration) { end(registration, isRead: false) }

    private func end(_ registration: Registration, isRead: Bool) {
        let isNew = state.withLock { state in
            guard state.ended.count < Self.most, state.ended.insert(registration).inserted else { return false }
            if isRead { state.leaving.insert(registration) }
            return true
        }
        if isNew { continuation.yield(registration) }
    }

    /// Whether messages of a registration are still read.
    func isRead(_ registration: Registration) -> Bool { state.withLock { $0.leaving.contains(registration) } }

    /// Ends registrations until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await registration in requests { group.addTask { await self.end(registration) } }
        }
    }

    private func end(_ registration: Registration) async {
        if isRead(registration) {
            guard (try? await session.present.host.clock.sleep(Self.quiet)) != nil else { return }
            state.withLock { _ = $0.leaving.remove(registration) }
        }
        do throws(BusFailure) {
            guard let distributor = try await finder.distributor(registration.distributor) else {
                state.withLock { _ = $0.ended.remove(registration) }
                return
            }
            let requests = DistributorRequests(
                distributor: distributor,
                version: try await distributor.version(on: finder.bus),
                bus: finder.bus,
                app: app
            )
            try await requests.unregister(registration.channel)
        } catch {
            guard !Task.isCancelled else { return }
            session.present.host.log.notice(
                "a subscription at a former distributor cannot be ended",
                ["stream": .text(session.name), "reason": .text(error.reason)]
            )
        }
    }
}
