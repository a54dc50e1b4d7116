import WireConfig
import WireNetworkContract
import WireService
import WireWorkContract

/// The constraints of the machine, by the present settings.
struct TaskDependencies: Sendable {
    let host: BackgroundHost
    private let connectivity: (any Connectivity)?
    private let links: (any NetworkLinks)?
    private let machine: (any HostConditions)?
    private let presence: (any UserPresence)?

    init(_ host: BackgroundHost) {
        self.host = host
        connectivity = host.uses.connectivity
        links = host.find(.networkLinks)
        machine = host.find(.hostConditions)
        presence = host.uses.presence
    }

    /// Whether a constraint holds; nil where that is unknown, which counts as true.
    func holds(_ constraint: ScheduledTask.Constraints) -> Bool? {
        switch constraint {
        case .network: connectivity?.isOnline ?? links?.haveAddress
        case .idle: machine?.isIdle
        case .power: machine?.hasPower
        case .user: presence.map { $0.user != nil }
        default: nil
        }
    }

    /// The constraints that do not hold.
    func missing(of constraints: ScheduledTask.Constraints) -> ScheduledTask.Constraints {
        ScheduledTask.Constraints.words.reduce(into: []) { missing, known in
            guard constraints.contains(known.constraint), holds(known.constraint) == false else { return }
            missing.insert(known.constraint)
        }
    }

    /// Calls back on changes of the network; returns when there is no source of changes, or the task is cancelled.
    func followNetwork(_ changed: () -> Void) async {
        if let connectivity {
            for await _ in connectivity.changes() { changed() }
        } else if let links {
            for await _ in links.changes() { changed() }
        }
    }

    /// Calls back on changes of the signed-in user.
    func followUser(_ changed: () -> Void) async {
        guard let presence else { return }
        for await _ in presence.changes() { changed() }
    }
}
