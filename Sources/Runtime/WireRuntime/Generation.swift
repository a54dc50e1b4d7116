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

    /// Requests whose heads are looked at in it, to find the route they are led to.
    let led = InFlightCount()

    /// The services that answer calls of code in the same process, by method and pattern; found when the first is made.
    private let handlers = Mutex<[String: (cell: ServiceCell, handler: any Sendable)]?>(nil)

    /// The service that knows who is signed in.
    let presenceCell: ServiceCell?
    /// Who knows it, for as long as that service runs.
    var presence: (any UserPresence)? { presenceCell?.presence }

    init(number: Int, candidate: Candidate, cells: [ServiceCell], started: Int64) {
        self.number = number
        self.candidate = candidate
        self.cells = cells
        self.started = started
        presenceCell = cells.first { $0.presence != nil }
    }

    /// Through which callers reach all others, where the file has it.
    var door: ServiceCell? { cells.first { $0.isDoor } }

    /// The service that answers an operation which is declared as a call, and its ``APIHandler``.
    func handler(of operation: Operation) -> (cell: ServiceCell, handler: any Sendable)? {
        handlers.withLock { handlers in
            if handlers == nil {
                handlers = [:]
                for cell in cells {
                    for route in cell.service?.routes ?? [] {
                        if let handler = route.callHandler { handlers?[route.operation.key] = (cell, handler) }
                    }
                }
            }
            // A service that has stopped answers nothing more.
            guard let found = handlers?[operation.key], found.cell.service != nil else { return nil }
            return found
        }
    }

    package func cell(_ name: String) -> ServiceCell? { cells.first { $0.name == name } }

    /// The routes of all services; what each does counts as in flight for the service that does it.
    package var routes: [Route] {
        cells.flatMap { cell in
            cell.service?.routes.map { $0.counted(by: cell) } ?? (cell.needsUser ? cell.vacantRoutes(presence) : [])
        }
    }
}

extension Operation {
    fileprivate var key: String { "\(method.name) \(pattern)" }
}

extension ServiceCell {
    fileprivate var presence: (any UserPresence)? { Abilities(service?.abilities ?? [])[.userPresence] }
}

extension Route {
    fileprivate func counted(by cell: ServiceCell) -> Route {
        var route = Route(operation, handler.counting(by: cell))
        // A snapshot is over before anybody could look.
        if case .snapshot = handler { return route }
        route.hold = {
            let arrival = Arrival(at: cell)
            return { arrival.end() }
        }
        return route
    }
}

extension Route.Handler {
    fileprivate func counting(by cell: ServiceCell) -> Self {
        switch self {
        case .snapshot: self
        case .snapshotOrWork(let answer):
            .snapshotOrWork { request in
                switch try answer(request) {
                case .now(let response): .now(response)
                case .later(let work): .later { try await InFlight(in: cell).count(work) }
                }
            }
        case .work(let work):
            .work { request in try await InFlight(in: cell).count { try await work(request) } }
        case .stream(let work):
            .stream { request, body in try await InFlight(in: cell).count { try await work(request, body) } }
        case .streamOf(let type, let stream, let other):
            .streamOf(
                type,
                { request, body in try await InFlight(in: cell).count { try await stream(request, body) } },
                orElse: other.counting(by: cell)
            )
        }
    }
}

/// A request that has been led to a service: its body may still be on its way.
private final class Arrival: Sendable {
    private let cell: ServiceCell
    private let isOver = Atomic(false)

    init(at cell: ServiceCell) {
        self.cell = cell
        cell.arrivals.began()
    }

    /// Nothing has come of it.
    deinit { end() }

    func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { cell.arrivals.ended() }
    }
}

/// One request that is in flight in a service: until it is answered, and all of its answer is written or let go.
private final class InFlight: Sendable {
    private let cell: ServiceCell
    private let isOver = Atomic(false)

    init(in cell: ServiceCell) {
        self.cell = cell
        cell.began()
    }

    /// The answer was not written, or there was none.
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
