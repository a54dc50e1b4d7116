import Synchronization
import WireBase
package import WireHTTP
import WireService

/// A candidate that runs: its services, and the routes that lead to them.
package final class Generation: Sendable {
    package let number: Int
    package let candidate: Candidate
    /// In starting order.
    package let cells: [ServiceCell]
    /// Milliseconds since 1970.
    package let started: Int64

    /// Who knows who is signed in, and the service that does.
    let presence: (any UserPresence)?
    let presenceCell: ServiceCell?

    init(number: Int, candidate: Candidate, cells: [ServiceCell], started: Int64) {
        self.number = number
        self.candidate = candidate
        self.cells = cells
        self.started = started
        let provision = Ability.userPresence.provision
        let offer = cells.firstFound { cell in
            (cell.service?.abilities.first { $0.provision == provision }?.value as? any UserPresence).map { (cell, $0) }
        }
        (presenceCell, presence) = offer.map { ($0, $1) } ?? (nil, nil)
    }

    /// Through which callers reach all others, where the file has it.
    var door: ServiceCell? { cells.first { $0.isDoor } }

    package func cell(_ name: String) -> ServiceCell? { cells.first { $0.name == name } }

    /// The routes of all services; what each does counts as in flight for the service that does it.
    package var routes: [Route] {
        cells.flatMap { cell in
            cell.service?.routes.map { $0.counted(by: cell) } ?? (cell.needsUser ? cell.vacantRoutes(presence) : [])
        }
    }
}

extension Route {
    fileprivate func counted(by cell: ServiceCell) -> Route {
        switch handler {
        case .snapshot, .planned:
            // It is over before anything could look, or counted already.
            return self
        case .snapshotOrWork(let answer):
            return Route(
                operation,
                .snapshotOrWork { request in
                    switch try answer(request) {
                    case .now(let response): return .now(response)
                    case .later(let work): return .later { try await InFlight(in: cell).count(work) }
                    }
                }
            )
        case .work(let work):
            return Route(
                operation,
                .planned {
                    let held = InFlight(in: cell)
                    return .work { request in try await held.count { try await work(request) } }
                }
            )
        case .stream(let work):
            return Route(
                operation,
                .planned {
                    let held = InFlight(in: cell)
                    return .stream { request, body in try await held.count { try await work(request, body) } }
                }
            )
        }
    }
}

/// One request that is in flight in a service: from its head until all of its answer is written or let go.
private final class InFlight: Sendable {
    private let cell: ServiceCell
    private let isOver = Atomic(false)

    init(in cell: ServiceCell) {
        self.cell = cell
        cell.began()
    }

    /// Nobody has written the answer, or there was none.
    deinit { end() }

    private func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { cell.ended() }
    }

    func count(_ work: () async throws -> Response) async throws -> Response {
        var response = try await work()
        switch response.body {
        case .bytes, .shared: end()
        case .stream(let write):
            response.body = .stream { writer in
                defer { self.end() }
                try await write(writer)
            }
        case .upgrade(let run):
            response.body = .upgrade { stream in
                defer { self.end() }
                try await run(stream)
            }
        }
        return response
    }
}
