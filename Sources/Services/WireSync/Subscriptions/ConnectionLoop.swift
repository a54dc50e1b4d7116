import Synchronization
import WireBase
import WireGraphQL
import WireNetworkContract
import WireService

/// Keeps the subscriptions of a router connected, according to its plan.
final class ConnectionLoop: Sendable {
    private struct State {
        var plan: ConnectionPlan
        var inbox: [ConnectionPlan.Input] = []
        /// Closes each open connection.
        var leaves: [Int: OneShot] = [:]
        /// Why the last connection has ended; nil while there is one.
        var lost: String?
    }

    let router = SubscriptionRouter()
    private let make: @Sendable () -> any SubscriptionConnection
    private let means: SubscriptionMeans
    private let report: @Sendable (ConnectionReport) -> Void
    private let state: Mutex<State>
    private let wakeup = Wakeup()

    /// The interval of clock comparisons; during suspend the monotonic clock stands still.
    private static let glance = Duration.seconds(15)

    init(
        _ rules: ConnectionPlan.Rules,
        _ means: SubscriptionMeans,
        report: @escaping @Sendable (ConnectionReport) -> Void,
        make: @escaping @Sendable () -> any SubscriptionConnection
    ) {
        (self.means, self.report, self.make) = (means, report, make)
        state = Mutex(State(plan: ConnectionPlan(rules, isOnline: means.connectivity?.isOnline ?? true)))
    }

    var link: SubscriptionLink {
        SubscriptionLink(isConnected: router.isConnected, lost: state.withLock { $0.lost })
    }

    func put(_ input: ConnectionPlan.Input) {
        state.withLock { $0.inbox.append(input) }
        wakeup.wake()
    }

    /// Runs until drained or cancelled; for a single subscription, until that has ended.
    func run(forOne: Bool = false) async {
        await withDiscardingTaskGroup { group in
            if let connectivity = means.connectivity {
                group.addTask { for await isOnline in connectivity.changes() { self.put(.online(isOnline)) } }
            }
            if let tokens = means.tokens {
                group.addTask { for await _ in tokens.recoveries() { self.put(.hurry) } }
            }
            group.addTask { await self.noticeSleep() }
            while await wakeup.next() != nil {
                let isFinished = handle(&group)
                if isFinished || (forOne && router.count == 0 && state.withLock { $0.leaves.isEmpty }) { break }
            }
            group.cancelAll()
        }
        router.end(with: nil)
    }

    /// After a suspend, connections may be dead without a sign.
    private func noticeSleep() async {
        func lag() -> Duration { .milliseconds(means.clock.wall()) - means.clock.monotonic() }
        var before = lag()
        while (try? await means.clock.sleep(Self.glance)) != nil {
            let now = lag()
            if now - before > .seconds(30) { put(.renew) }
            before = now
        }
    }

    private func handle(_ group: inout DiscardingTaskGroup) -> Bool {
        while true {
            let actions: [ConnectionPlan.Action]? = state.withLock { state in
                guard !state.inbox.isEmpty else { return nil }
                var input = state.inbox.removeFirst()
                // The present count: subscriptions may have come and gone since.
                if case .wanted = input { input = .wanted(router.count > 0) }
                return state.plan.handle(input, chance: means.chance())
            }
            guard let actions else { return false }
            for action in actions where perform(action, &group) { return true }
        }
    }

    /// Performs an action; true where the loop has ended.
    private func perform(_ action: ConnectionPlan.Action, _ group: inout DiscardingTaskGroup) -> Bool {
        switch action {
        case .open(let number):
            let (connection, leave) = (make(), OneShot())
            state.withLock { $0.leaves[number] = leave }
            router.opens(number, connection)
            group.addTask { await self.keep(number, connection, until: leave) }
        case .leave(let number): state.withLock { $0.leaves[number] }?.fire()
        case .promote(let number): if router.promote(number) { put(.wanted(false)) }
        case .await(let timer, let duration):
            group.addTask {
                guard (try? await self.means.clock.sleep(duration)) != nil else { return }
                self.put(.timer(timer))
            }
        case .fail(let reason):
            report(.failed(reason))
            router.end(with: .failed(reason))
        case .finish: return true
        }
        return false
    }

    private func keep(_ number: Int, _ connection: any SubscriptionConnection, until leave: OneShot) async {
        let end = await connection.run(until: leave) { changeListeners in
            switch changeListeners {
            case .begins: self.router.begins(number)
            case .ready(let goodFor):
                self.router.ready(number)
                self.state.withLock { $0.lost = nil }
                self.report(.connected)
                self.put(.ready(number, goodFor: goodFor))
            case .event(let key, let event, let size):
                if self.router.handle(event, of: key, from: number, size: size) { self.put(.wanted(false)) }
            }
        }
        router.ended(number)
        let isLost = !router.isConnected
        state.withLock { state in
            state.leaves[number] = nil
            if isLost { state.lost = end.reason }
        }
        report(.ended(end.reason))
        put(.ended(number, end))
    }
}

/// An event of connections, for logs and the state of the service.
package enum ConnectionReport: Sendable, Equatable {
    case connected
    case ended(String)
    /// Subscriptions have failed with this reason.
    case failed(String)
}
