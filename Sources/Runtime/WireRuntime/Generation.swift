import Synchronization
import WireBase
package import WireHTTP
import WireService

/// A running candidate: its services and their routes.
package final class Generation: Sendable {
    package let number: Int
    package let candidate: Candidate
    /// The cells in starting order.
    package let cells: [ServiceInstance]
    /// The start in milliseconds since 1970.
    package let started: Int64

    /// The requests that are being routed.
    let led = InFlightCount()

    /// The services that handle calls in the same process, by method and pattern; built on first use.
    private let handlers = Mutex<[String: (cell: ServiceInstance, handler: any Sendable)]?>(nil)

    /// The cell of the service that knows the signed-in user.
    let presenceCell: ServiceInstance?
    /// The presence service, while it runs.
    var presence: (any UserPresence)? { presenceCell?.presence }

    init(number: Int, candidate: Candidate, cells: [ServiceInstance], started: Int64) {
        self.number = number
        self.candidate = candidate
        self.cells = cells
        self.started = started
        presenceCell = cells.first { $0.presence != nil }
    }

    /// The cell of the local API, where the file has it.
    var entrance: ServiceInstance? { cells.first { $0.acceptsRequests } }

    /// The service that handles an operation declared as a call, with its ``APIHandler``.
    func handler(of operation: Operation) -> (cell: ServiceInstance, handler: any Sendable)? {
        handlers.withLock { handlers in
            if handlers == nil {
                handlers = [:]
                for cell in cells {
                    for route in cell.service?.routes ?? [] {
                        if let handler = route.callHandler { handlers?[route.operation.key] = (cell, handler) }
                    }
                }
            }
            // A stopped service handles no calls.
            guard let found = handlers?[operation.key], found.cell.service != nil else { return nil }
            return found
        }
    }

    package func cell(_ name: String) -> ServiceInstance? { cells.first { $0.name == name } }

    /// The routes of all services, with requests counted as in flight for their service.
    package var routes: [Route] {
        cells.flatMap { cell in
            cell.service?.routes.map { $0.counted(by: cell) } ?? (cell.needsUser ? cell.vacantRoutes(presence) : [])
        }
    }
}

extension Operation {
    fileprivate var key: String { "\(method.name) \(pattern)" }
}

extension ServiceInstance {
    fileprivate var presence: (any UserPresence)? { Abilities(service?.abilities ?? [])[.userPresence] }
}

extension Route {
    fileprivate func counted(by cell: ServiceInstance) -> Route {
        var route = Route(operation, handler.counting(by: cell))
        // A snapshot finishes before it could be observed.
        if case .snapshot = handler { return route }
        route.hold = {
            let arrival = Arrival(at: cell)
            return { arrival.end() }
        }
        return route
    }
}

extension Route.Handler {
    fileprivate func counting(by cell: ServiceInstance) -> Self {
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

/// A routed request whose body may still arrive.
private final class Arrival: Sendable {
    private let cell: ServiceInstance
    private let isOver = Atomic(false)

    init(at cell: ServiceInstance) {
        self.cell = cell
        cell.arrivals.began()
    }

    /// Ends the count of a request without a response.
    deinit { end() }

    func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { cell.arrivals.ended() }
    }
}

/// A request in flight in a service, until its response is written or dropped.
private final class InFlight: Sendable {
    private let cell: ServiceInstance
    private let isOver = Atomic(false)

    init(in cell: ServiceInstance) {
        self.cell = cell
        cell.began()
    }

    /// Ends the count of a request whose response was not written.
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
