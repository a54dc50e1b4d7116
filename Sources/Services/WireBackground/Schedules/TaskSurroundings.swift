import WireConfig
import WireNetworkContract
import WireService
import WireWorkContract

/// What tasks find around them, by the file as it is now.
struct TaskSurroundings: Sendable {
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

    /// How it is with something a task may need; nil where nobody tells, which counts as being there.
    func holds(_ constraint: ScheduledTask.Constraints) -> Bool? {
        switch constraint {
        case .network: connectivity?.isOnline ?? links?.haveAddress
        case .idle: machine?.isIdle
        case .power: machine?.hasPower
        case .user: presence.map { $0.user != nil }
        default: nil
        }
    }

    /// What is not there of what a task needs.
    func missing(of constraints: ScheduledTask.Constraints) -> ScheduledTask.Constraints {
        ScheduledTask.Constraints.words.reduce(into: []) { missing, known in
            guard constraints.contains(known.constraint), holds(known.constraint) == false else { return }
            missing.insert(known.constraint)
        }
    }

    /// Calls whenever the network may have come or gone; returns when nobody tells any more, or the task is cancelled.
    func followNetwork(_ changed: () -> Void) async {
        if let connectivity {
            for await _ in connectivity.changes() { changed() }
        } else if let links {
            for await _ in links.changes() { changed() }
        }
    }

    /// The same for who is signed in.
    func followUser(_ changed: () -> Void) async {
        guard let presence else { return }
        for await _ in presence.changes() { changed() }
    }
}
