import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireTelemetry

/// Looks out whether servers can be reached: by the links of this machine, and by what becomes of requests.
final class Lookout: Connectivity {
    /// So many requests in a row that never got as far as the server are taken for a sign.
    private static let doubt = 3
    /// How long that is believed, until requests show how it is.
    private static let doubtLasts = Duration.seconds(15)

    private struct State {
        /// Nil where the system does not tell.
        var hasLink: Bool?
        var misses = 0
        var doubt: String?
        var wasOnline = true
        var isOver = false
    }

    private let state: Mutex<State>
    private let links: (any NetworkLinks)?
    private let waits: Waits
    private let hosts: Hosts
    private let client: any HTTPClient
    private let present: @Sendable () -> Surroundings
    private let listeners = Listeners<Bool>()
    private let doubts = Wakeup()
    /// Told that there may be a link, and that there will be none.
    private let linksNews = Signal()

    /// What it looks at and tells, as it is now.
    struct Surroundings: Sendable {
        let host: NetworkHost
        let addresses: ServerAddresses
        /// Where the file speaks of hosts that fail.
        let circuit: ValueOrigin?
    }

    init(
        _ links: (any NetworkLinks)?,
        _ client: any HTTPClient,
        _ waits: Waits,
        _ hosts: Hosts,
        present: @escaping @Sendable () -> Surroundings
    ) {
        (self.links, self.client, self.waits, self.hosts, self.present) = (links, client, waits, hosts, present)
        state = Mutex(State(hasLink: links?.haveAddress))
    }

    // MARK: What it sees

    /// Whether no link leads to a URL, as the system has it now: what listens may be told a moment later.
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

    // MARK: What requests tell

    func reached(_ url: WebURL) {
        let wasInDoubt = state.withLock { state in
            guard state.misses > 0 else { return false }
            defer { (state.misses, state.doubt) = (0, nil) }
            return state.doubt != nil
        }
        if wasInDoubt { tell() }
    }

    func missed(_ url: WebURL, _ reason: String) {
        // Another host that cannot be reached says nothing about the network.
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

    /// The way to a host has opened or closed.
    func hostChanged(_ name: String) {
        let isResting = hosts.resting.contains(name)
        let surroundings = present()
        surroundings.host.emit(isResting ? NetworkEvents.hostResting : .hostBack, NetworkEvent(host: name))
        report(surroundings)
    }

    // MARK: Listening

    func changes() -> AsyncStream<Bool> { listeners.listen(beginningWith: self.isOnline) }

    /// Returns when a link is there, true; or when the task is cancelled.
    func untilConnected() async -> Bool {
        while !Task.isCancelled {
            let count = linksNews.count
            let (hasLink, isOver) = state.withLock { ($0.hasLink, $0.isOver) }
            if isOver { return false }
            // What the system says already may be told here a moment later.
            if hasLink != false, links?.haveAddress != false { return true }
            await linksNews.wait(after: count)
        }
        return false
    }

    // MARK: Life

    /// Looks out until it is cancelled.
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
        linksNews.signal()
        doubts.finish()
    }

    private func linked(_ hasLink: Bool?) {
        state.withLock { state in
            // What was not reached before may be now.
            if state.hasLink != hasLink { (state.misses, state.doubt) = (0, nil) }
            state.hasLink = hasLink
        }
        linksNews.signal()
        tell()
    }

    private func trust() {
        state.withLock { ($0.misses, $0.doubt) = (0, nil) }
        tell()
    }

    /// Tells everybody how it is, where that has changed.
    private func tell() {
        let (surroundings, obstacle) = (present(), obstacle)
        let isNews = state.withLock { state in
            defer { state.wasOnline = obstacle == nil }
            return state.wasOnline != (obstacle == nil)
        }
        guard isNews else { return }
        listeners.tell(self.obstacle == nil)
        surroundings.host.emit(obstacle == nil ? NetworkEvents.online : .offline, NetworkEvent(reason: obstacle))
        report(surroundings)
    }

    private func report(_ surroundings: Surroundings) {
        if let obstacle {
            surroundings.host.report(.degraded(Fault("offline: \(obstacle)", help: "requests wait for the network")))
        } else if let name = hosts.resting.first {
            surroundings.host.report(
                .degraded(
                    Fault(
                        "\(name) has failed many times in a row, and is left alone for a while",
                        origin: surroundings.circuit
                    )
                )
            )
        } else {
            surroundings.host.report(.well)
        }
    }
}
