import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireTelemetry

/// Observes whether servers can be reached, by the machine's links and by the results of requests.
final class ReachabilityMonitor: Connectivity {
    /// The number of consecutive requests without a connection that counts as a lost network.
    private static let doubt = 3
    /// How long that conclusion holds without further requests.
    private static let doubtLasts = Duration.seconds(15)

    private struct State {
        /// Nil where the system does not say.
        var hasLink: Bool?
        var misses = 0
        var doubt: String?
        var isOver = false
    }

    private let state: Mutex<State>
    private let links: (any NetworkLinks)?
    private let waits: Waits
    private let hosts: HostCircuits
    private let client: any HTTPClient
    private let present: @Sendable () -> Context
    private let listeners = Subscribers<Bool>()
    /// Whether the network was there when subscribers were last notified; held while they are.
    private let telling = Mutex(true)
    private let doubts = Wakeup()
    /// Signals that a link may exist, and that links are not observed any more.
    private let linkChanges = ChangeSignal()

    /// The present settings and the host.
    struct Context: Sendable {
        let host: NetworkHost
        let addresses: ServerAddresses
        /// The place of 'circuit' in the file.
        let circuit: ValueOrigin?
    }

    init(
        _ links: (any NetworkLinks)?,
        _ client: any HTTPClient,
        _ waits: Waits,
        _ hosts: HostCircuits,
        present: @escaping @Sendable () -> Context
    ) {
        (self.links, self.client, self.waits, self.hosts, self.present) = (links, client, waits, hosts, present)
        state = Mutex(State(hasLink: links?.haveAddress))
    }

    // MARK: Links

    /// Whether no link leads to a URL, by the system's present state; its notifications may be later.
    func isCutOff(from url: WebURL) -> Bool {
        guard let links, !url.isLoopback, links.haveAddress == false else { return false }
        return client.leavesMachine(to: url.description)
    }

    var linkObstacle: String? {
        state.withLock { $0.hasLink == false } ? Self.noLink : nil
    }

    private static let noLink = "no network interface is up and has an address"

    var isOnline: Bool { obstacle == nil }

    var obstacle: String? {
        let isLocal = present().addresses.base()?.isLoopback ?? false
        return state.withLock { state in
            if !isLocal, state.hasLink == false { return Self.noLink }
            return state.doubt
        }
    }

    // MARK: Results of requests

    func reached(_ url: WebURL) {
        let wasInDoubt = state.withLock { state in
            guard state.misses > 0 else { return false }
            defer { (state.misses, state.doubt) = (0, nil) }
            return state.doubt != nil
        }
        if wasInDoubt { tell() }
    }

    func missed(_ url: WebURL, _ reason: String) {
        // A failure of another host says nothing about the network.
        if let base = present().addresses.base(), base.host != url.host { return }
        let isNew = state.withLock { state in
            state.misses += 1
            guard state.misses >= Self.doubt else { return false }
            defer { state.doubt = reason }
            return state.doubt == nil
        }
        guard isNew else { return }
        doubts.wake()
        tell()
    }

    /// The circuit of a host has opened or closed.
    func hostChanged(_ name: String) {
        let isResting = hosts.resting.contains(name)
        let context = present()
        context.host.emit(isResting ? NetworkEvents.hostResting : .hostBack, NetworkEvent(host: name))
        report(context)
    }

    // MARK: Waiting

    func changes() -> AsyncStream<Bool> { listeners.listen(beginningWith: self.isOnline) }

    /// Returns true when there is a link, false when the task is cancelled.
    func untilConnected() async -> Bool {
        while !Task.isCancelled {
            let count = linkChanges.count
            let (hasLink, isOver) = state.withLock { ($0.hasLink, $0.isOver) }
            if isOver { return false }
            // The system's state may be newer than its last notification.
            if hasLink != false, links?.haveAddress != false { return true }
            await linkChanges.wait(after: count)
        }
        return false
    }

    // MARK: Life

    /// Observes until cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            if let links {
                group.addTask { for await hasLink in links.changes() { self.linked(hasLink) } }
            }
            group.addTask {
                for await _ in self.doubts {
                    try? await self.waits.clock.sleep(Self.doubtLasts)
                    self.trust()
                }
            }
        }
    }

    func stop() {
        state.withLock { $0.isOver = true }
        listeners.finish()
        linkChanges.signal()
        doubts.finish()
    }

    private func linked(_ hasLink: Bool?) {
        state.withLock { state in
            // A new link invalidates former failures.
            if state.hasLink != hasLink { (state.misses, state.doubt) = (0, nil) }
            state.hasLink = hasLink
        }
        linkChanges.signal()
        tell()
    }

    private func trust() {
        state.withLock { ($0.misses, $0.doubt) = (0, nil) }
        tell()
    }

    /// Notifies subscribers of a change.
    private func tell() {
        let context = present()
        let isChange = telling.withLock { wasOnline in
            let obstacle = obstacle
            guard wasOnline != (obstacle == nil) else { return false }
            wasOnline = obstacle == nil
            listeners.notify(self.obstacle == nil)
            context.host.emit(obstacle == nil ? NetworkEvents.online : .offline, NetworkEvent(reason: obstacle))
            return true
        }
        if isChange { report(context) }
    }

    private func report(_ context: Context) {
        context.host.report {
            if let obstacle {
                return .degraded(Fault("offline: \(obstacle)", help: "requests wait for the network"))
            }
            guard let name = hosts.resting.first else { return .well }
            return .degraded(Fault("requests to \(name) pause after repeated failures", origin: context.circuit))
        }
    }
}
