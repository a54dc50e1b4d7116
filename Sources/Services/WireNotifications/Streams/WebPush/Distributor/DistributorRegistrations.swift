import Synchronization
import WireBase
import WireMessageBus
import WirePushContract
import WireService
import WireTelemetry

/// Keeps the channels of all accounts registered at a distributor, and ends those that are to end.
///
/// A channel is registered anew over each connection, under the same token: its endpoint may have changed meanwhile.
final class DistributorRegistrations: Sendable {
    private enum Phase: Equatable {
        case registering(Int)
        case registered
        case unregistering
    }

    private struct State {
        var phases: [String: Phase] = [:]
        /// The next pause of each channel; it grows with each failure over this connection.
        var pauses: [String: Duration] = [:]
        /// How long the next registration of a lost channel waits.
        var waits: [String: Duration] = [:]
        var last = 0

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
        }

        mutating func begin(_ channel: WebPushState.Channel) -> Work? {
            let phase = phases[channel.id]
            if channel.isEnding {
                guard phase != .unregistering else { return nil }
                phases[channel.id] = .unregistering
                return .unregister
            }
            guard phase == nil else { return nil }
            last += 1
            phases[channel.id] = .registering(last)
            return .register(last)
        }
    }

    private enum Work {
        case register(Int)
        case unregister
    }

    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(300)
    /// How long a replaced channel is still read.
    private static let quiet = Duration.seconds(10)

    private let accounts: any WebPushAccounts
    private let requests: DistributorRequests
    private let session: StreamSession
    private let state = Mutex(State())
    private let wakeup = Wakeup()

    init(_ accounts: any WebPushAccounts, by requests: DistributorRequests, session: StreamSession) {
        (self.accounts, self.requests, self.session) = (accounts, requests, session)
    }

    private var clock: TimeSource { session.present.host.clock }

    /// Registers and unregisters whenever the channels change, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { for await _ in self.accounts.changes() { self.wakeup.wake() } }
            for await _ in wakeup {
                // What cannot be read now is read at the next change.
                guard let channels = try? channels() else { continue }
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

    private func channels() throws(Fault) -> [(account: any WebPushAccount, channel: WebPushState.Channel)] {
        var channels: [(account: any WebPushAccount, channel: WebPushState.Channel)] = []
        for account in try accounts.accounts { channels += try account.state.channels.map { (account, $0) } }
        return channels
    }

    /// Notes that the distributor has given an endpoint, which is what a registration is for.
    func opened(_ channel: String) { state.withLock { $0.phases[channel] = .registered } }

    /// Notes that the distributor has ended a registration, which is made again.
    func lost(_ channel: String) {
        state.withLock { state in
            state.phases[channel] = nil
            state.waits[channel] = state.pause(for: channel)
        }
        wakeup.wake()
    }

    // MARK: Work

    private func register(_ channel: WebPushState.Channel, of account: any WebPushAccount, _ number: Int) async {
        let wait = state.withLock { $0.waits.removeValue(forKey: channel.id) }
        if let wait, (try? await clock.sleep(wait)) == nil { return }
        var last: DistributorRequests.Result?
        while isWanted(channel.id, of: account, number) {
            let pause: Duration
            let result = await result(channel)
            switch result {
            case .accepted: return
            case .rejected(let reason):
                account.rejected(channel.id, because: reason)
                if result != last { note("a subscription was rejected", reason) }
                pause = Self.longest
            case .failed(let reason):
                if result != last { note("a subscription has failed", reason) }
                pause = state.withLock { $0.pause(for: channel.id) }
            }
            last = result
            guard (try? await clock.sleep(pause)) != nil else { return }
        }
    }

    private func result(_ channel: WebPushState.Channel) async -> DistributorRequests.Result {
        do throws(BusFailure) { return try await requests.register(channel) } catch { return .failed(error.reason) }
    }

    private func isWanted(_ channel: String, of account: any WebPushAccount, _ number: Int) -> Bool {
        guard !Task.isCancelled, state.withLock({ $0.phases[channel] == .registering(number) }) else { return false }
        return (try? account.state.channels)?.contains { $0.id == channel && !$0.isEnding } ?? true
    }

    private func unregister(_ channel: WebPushState.Channel, of account: any WebPushAccount) async {
        // Messages to a replaced channel may be on their way.
        if channel.isRead, (try? await clock.sleep(Self.quiet)) == nil { return }
        while !Task.isCancelled {
            do throws(Fault) { return try await end(channel.id, of: account) } catch {
                note("a subscription cannot be ended", error.reason)
            }
            let pause = state.withLock { $0.pause(for: channel.id) }
            guard (try? await clock.sleep(pause)) != nil else { return }
        }
    }

    private func end(_ channel: String, of account: any WebPushAccount) async throws(Fault) {
        do throws(BusFailure) { try await requests.unregister(channel) } catch { throw Fault(error.reason) }
        try await account.closed(channel)
    }

    private func note(_ message: String, _ reason: String) {
        guard !Task.isCancelled else { return }
        session.present.host.log.notice("\(message)", ["stream": .text(session.name), "reason": .text(reason)])
    }
}
