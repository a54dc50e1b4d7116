import Synchronization
import WireBase
import WireMessageBus
import WirePushContract
import WireService
import WireTelemetry

/// Keeps the channels of all accounts registered at a distributor, and ends those that are to end.
///
/// A channel is registered again at each distributor that comes, under the same token: its endpoint may have changed
/// meanwhile. A distributor that is offline executes each registration later, also of the same token, so that a pending
/// one is never repeated.
final class DistributorRegistrations: Sendable {
    private enum Phase: Equatable {
        case registering(Int)
        case registered(since: Duration)
        case unregistering
        /// The end is requested again once the pending registration is answered.
        case ending
    }

    private struct State {
        var phases: [String: Phase] = [:]
        /// The next pause of each channel; it grows with each failure at this distributor.
        var pauses: [String: Duration] = [:]
        /// How long the next registration of a lost channel waits.
        var waits: [String: Duration] = [:]
        var last = 0
        /// The channels whose registration is not answered yet.
        var pending: Set<String> = []
        /// The tokens of the distributor that are not known here, and those that are still to be ended.
        var unknown: Set<String> = []
        var strays: [String] = []
        /// When the end of a registration was last requested.
        var ended: Duration?
        /// Whether unreadable accounts are about to be read again.
        var isReadingAgain = false

        /// The pause before another attempt.
        mutating func pause(for channel: String) -> Duration {
            let pause = pauses[channel] ?? DistributorRegistrations.shortest
            pauses[channel] = min(pause * 2, DistributorRegistrations.longest)
            return pause
        }

        /// Forgets all other channels.
        mutating func keep(_ channels: Set<String>) {
            phases = phases.filter { channels.contains($0.key) }
            pauses = pauses.filter { channels.contains($0.key) }
            waits = waits.filter { channels.contains($0.key) }
            pending.formIntersection(channels)
        }

        mutating func begin(_ channel: WebPushState.Channel) -> Work? {
            let phase = phases[channel.id]
            if channel.isEnding {
                guard phase != .unregistering, phase != .ending else { return nil }
                phases[channel.id] = .unregistering
                return .unregister
            }
            guard phase == nil else { return nil }
            last += 1
            phases[channel.id] = .registering(last)
            return .register(last)
        }

        /// Lets a channel be registered again; one that is about to be needs nothing.
        mutating func lose(_ channel: String, at now: Duration) {
            guard case .registered(let since)? = phases[channel] else { return }
            if now - since >= DistributorRegistrations.settled { pauses[channel] = nil }
            phases[channel] = nil
            waits[channel] = max(DistributorRegistrations.lossPause, pause(for: channel))
        }
    }

    private enum Work {
        case register(Int)
        case unregister
    }

    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(300)
    /// The pause before a lost channel is registered: a distributor that changes its server registers it itself.
    private static let lossPause = Duration.seconds(60)
    /// After so long, a registration is no longer one that fails again and again.
    private static let settled = Duration.seconds(600)
    /// The time within which the endpoint of a registration that has succeeded comes.
    private static let endpointLimit = Duration.seconds(60)
    /// The time within which the first version confirms the end of a registration.
    private static let confirmationLimit = Duration.seconds(60)
    /// The pause before unreadable accounts are read again.
    private static let readPause = Duration.seconds(10)
    /// How long a replaced channel is still read.
    private static let quiet = Duration.seconds(10)
    /// The number of unknown tokens that are ended, and the longest of a token.
    private static let mostUnknown = 100
    private static let longestToken = 100

    private let accounts: any WebPushAccounts
    private let requests: DistributorRequests
    private let formers: FormerDistributors?
    private let session: StreamSession
    private let state = Mutex(State())
    private let wakeup = Wakeup()

    init(
        _ accounts: any WebPushAccounts,
        by requests: DistributorRequests,
        _ formers: FormerDistributors?,
        session: StreamSession
    ) {
        (self.accounts, self.requests, self.formers, self.session) = (accounts, requests, formers, session)
    }

    private var clock: TimeSource { session.present.host.clock }

    /// Registers and unregisters whenever the channels change, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { for await _ in self.accounts.changes() { self.wakeup.wake() } }
            for await _ in wakeup {
                for token in takeStrays() { group.addTask { await self.endStray(token) } }
                guard let channels = try? await channels() else {
                    if beginReadingAgain() { group.addTask { await self.readAgain() } }
                    continue
                }
                state.withLock { $0.keep(Set(channels.map(\.channel.id))) }
                for (account, channel) in channels {
                    switch state.withLock({ $0.begin(channel) }) {
                    case .register(let number)?: group.addTask { await self.register(channel, of: account, number) }
                    case .unregister?: group.addTask { await self.unregister(channel, of: account) }
                    case nil: break
                    }
                }
            }
        }
    }

    private func channels() async throws(Fault) -> [(account: any WebPushAccount, channel: WebPushState.Channel)] {
        var channels: [(account: any WebPushAccount, channel: WebPushState.Channel)] = []
        for account in try await accounts.accounts {
            channels += try await account.state.channels.map { (account, $0) }
        }
        return channels
    }

    private func beginReadingAgain() -> Bool {
        state.withLock { state in
            defer { state.isReadingAgain = true }
            return !state.isReadingAgain
        }
    }

    private func readAgain() async {
        try? await clock.sleep(Self.readPause)
        state.withLock { $0.isReadingAgain = false }
        wakeup.wake()
    }

    // MARK: What the distributor says

    /// Notes that the distributor has given an endpoint, which is what a registration is for.
    func opened(_ channel: String) {
        let now = clock.monotonic()
        state.withLock { state in
            if case .registered = state.phases[channel] { return }
            state.phases[channel] = .registered(since: now)
        }
    }

    /// Notes that the distributor has ended a registration, which is made again later, unless it makes it itself.
    ///
    /// The first version confirms a requested end without a token; unrequested, it has ended all registrations.
    func unregistered(_ token: String) {
        let now = clock.monotonic()
        state.withLock { state in
            guard token.isEmpty else { return state.lose(token, at: now) }
            let isConfirmation = state.ended.map { now - $0 < Self.confirmationLimit } ?? false
            guard requests.version == .first, !isConfirmation else { return }
            for channel in Array(state.phases.keys) { state.lose(channel, at: now) }
        }
        wakeup.wake()
    }

    /// Ends a registration of the distributor that is not known here: the request for its end may have come too early.
    func endUnknown(_ token: String) {
        guard token.utf8.count <= Self.longestToken else { return }
        let isNew = state.withLock { state in
            guard state.unknown.count < Self.mostUnknown, state.unknown.insert(token).inserted else { return false }
            state.strays.append(token)
            return true
        }
        if isNew { wakeup.wake() }
    }

    private func takeStrays() -> [String] {
        state.withLock { state in
            defer { state.strays = [] }
            return state.strays
        }
    }

    // MARK: Work

    private func register(_ channel: WebPushState.Channel, of account: any WebPushAccount, _ number: Int) async {
        let wait = state.withLock { $0.waits.removeValue(forKey: channel.id) }
        if let wait, (try? await clock.sleep(wait)) == nil { return }
        var last: DistributorRequests.Result?
        while await isWanted(channel.id, of: account, number) {
            let pause: Duration
            state.withLock { _ = $0.pending.insert(channel.id) }
            let result = await requests.result(of: channel)
            if result != .unanswered { answered(channel.id) }
            switch result {
            case .accepted: return await accepted(channel.id, of: account, number)
            case .unanswered: return
            case .rejected(let reason):
                await account.rejected(channel.id, because: reason)
                if result != last { note("a subscription was rejected", reason) }
                pause = Self.longest
            case .failed(let reason):
                await account.delayed(channel.id, because: reason)
                if result != last { note("registering the subscription failed", reason) }
                pause = state.withLock { $0.pause(for: channel.id) }
            }
            last = result
            guard (try? await clock.sleep(pause)) != nil else { return }
        }
    }

    /// Lets the end of a channel be requested again: distributors do not end what is pending.
    private func answered(_ channel: String) {
        let isEnding = state.withLock { state in
            state.pending.remove(channel)
            guard state.phases[channel] == .ending else { return false }
            state.phases[channel] = nil
            return true
        }
        if isEnding { wakeup.wake() }
    }

    /// Waits for the endpoint of a registration, or ends one whose channel is gone.
    private func accepted(_ channel: String, of account: any WebPushAccount, _ number: Int) async {
        let found: WebPushState.Channel?
        do throws(Fault) { found = try await find(channel, of: account) } catch { return opened(channel) }
        guard let found else { return await endStray(channel) }
        guard !found.isEnding else { return }
        let now = clock.monotonic()
        state.withLock { state in
            if state.phases[channel] == .registering(number) { state.phases[channel] = .registered(since: now) }
        }
        guard found.endpoint == nil, (try? await clock.sleep(Self.endpointLimit)) != nil,
            let later = try? await find(channel, of: account), later.endpoint == nil
        else { return }
        await account.delayed(channel, because: "the distributor \(requests.distributor.title) has given no endpoint")
    }

    private func find(_ channel: String, of account: any WebPushAccount) async throws(Fault) -> WebPushState.Channel? {
        try await account.state.channels.first { $0.id == channel }
    }

    private func isWanted(_ channel: String, of account: any WebPushAccount, _ number: Int) async -> Bool {
        guard !Task.isCancelled, state.withLock({ $0.phases[channel] == .registering(number) }) else { return false }
        return (try? await account.state.channels)?.contains { $0.id == channel && !$0.isEnding } ?? true
    }

    private func unregister(_ channel: WebPushState.Channel, of account: any WebPushAccount) async {
        // Messages to a replaced channel may be on their way.
        if channel.isRead, (try? await clock.sleep(Self.quiet)) == nil { return }
        if let former = channel.distributor, former != requests.distributor.name {
            formers?.reject(.init(channel: channel.id, distributor: former))
        }
        while !Task.isCancelled {
            do throws(Fault) {
                if try await end(channel.id, of: account) { return }
                continue
            } catch {
                note("a subscription cannot be ended", error.reason)
            }
            let pause = state.withLock { $0.pause(for: channel.id) }
            guard (try? await clock.sleep(pause)) != nil else { return }
        }
    }

    /// Ends a channel; returns false where its registration was pending and has been answered meanwhile.
    private func end(_ channel: String, of account: any WebPushAccount) async throws(Fault) -> Bool {
        let wasPending = state.withLock { $0.pending.contains(channel) }
        do throws(BusFailure) { try await requestEnd(channel) } catch { throw Fault(error.reason) }
        guard !wasPending else {
            return state.withLock { state in
                guard state.pending.contains(channel) else { return false }
                state.phases[channel] = .ending
                return true
            }
        }
        try await account.closed(channel)
        return true
    }

    private func endStray(_ token: String) async {
        do throws(BusFailure) { try await requestEnd(token) } catch {
            note("a subscription cannot be ended", error.reason)
        }
    }

    private func requestEnd(_ token: String) async throws(BusFailure) {
        let now = clock.monotonic()
        state.withLock { $0.ended = now }
        try await requests.unregister(token)
    }

    private func note(_ message: String, _ reason: String) {
        guard !Task.isCancelled else { return }
        session.present.host.log.notice("\(message)", ["stream": .text(session.name), "reason": .text(reason)])
    }
}
