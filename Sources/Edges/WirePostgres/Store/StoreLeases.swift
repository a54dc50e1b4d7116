import Synchronization
import WireBase
import WireStore

/// The claims of this runner, and when they end by its own clock.
///
/// No server's clock ends a claim: the runner that has made it does, or the others once the runner is silent.
final class StoreLeases: Sendable {
    struct Place: Hashable, Sendable {
        let queue: String
        let position: Int64
    }

    struct Lease: Sendable {
        let fence: Int64
        let lane, kind: String
        /// By the clock of the store.
        var due: Int64
    }

    private let leases = Mutex<[Place: Lease]>([:])

    /// Notes the claims of rows, whether they can be opened or not.
    func grant(_ rows: [PostgresRow], in queue: String, until due: Int64) {
        leases.withLock { leases in
            for row in rows {
                guard let position = try? row.integer(1), let fence = try? row.integer(11), let lane = try? row.name(3),
                    let kind = try? row.name(4)
                else { continue }
                leases[Place(queue: queue, position: position)] = Lease(fence: fence, lane: lane, kind: kind, due: due)
            }
        }
    }

    func extend(_ claim: ClaimedWork, until due: Int64) {
        leases.withLock { leases in
            let place = Place(queue: claim.queue, position: claim.position)
            if leases[place]?.fence == claim.fence { leases[place]?.due = due }
        }
    }

    func end(_ queue: String, _ position: Int64, _ fence: Int64) {
        leases.withLock { leases in
            let place = Place(queue: queue, position: position)
            if leases[place]?.fence == fence { leases[place] = nil }
        }
    }

    func clear() { leases.withLock { $0 = [:] } }

    /// Whether a claim has not ended.
    func holds(_ queue: String, _ position: Int64, at now: Int64) -> Bool {
        leases.withLock { ($0[Place(queue: queue, position: position)]?.due ?? .min) > now }
    }

    /// The claims of a queue whose time is over.
    func over(in queue: String, at now: Int64) -> [(position: Int64, fence: Int64)] {
        leases.withLock { leases in
            leases.filter { $0.key.queue == queue && $0.value.due <= now }.map { ($0.key.position, $0.value.fence) }
        }
    }

    /// The queues with claims whose time is over.
    func queues(overAt now: Int64) -> Set<String> {
        leases.withLock { leases in Set(leases.lazy.filter { $0.value.due <= now }.map(\.key.queue)) }
    }

    /// When the first claim of a queue ends, of some kinds and outside some lanes.
    func firstDue(in queue: String, kinds: Set<String>?, besides paused: Set<String>) -> Int64? {
        leases.withLock { leases in
            leases.lazy.filter { place, lease in
                place.queue == queue && (kinds?.contains(lease.kind) ?? true) && !paused.contains(lease.lane)
            }.map(\.value.due).min()
        }
    }
}
