import Synchronization
import WireBase
package import WireHTTP
import WireService

/// A running candidate: its services and their routes.
package final class Generation: Sendable {
    package let number: Int
    package let candidate: Candidate
    /// The instances in starting order.
    package let instances: [ServiceInstance]
    /// The start in milliseconds since 1970.
    package let started: Int64

    /// The requests that are being routed.
    let inFlightRequests = InFlightCount()

    /// The services that handle calls in the same process, by method and pattern; built on first use.
    private let handlers = Mutex<[String: (instance: ServiceInstance, handler: any Sendable)]?>(nil)

    /// The instance of the service that knows the signed-in user.
    let presenceInstance: ServiceInstance?
    /// The presence service, while it runs.
    var presence: (any UserPresence)? { presenceInstance?.presence }

    init(number: Int, candidate: Candidate, instances: [ServiceInstance], started: Int64) {
        self.number = number
        self.candidate = candidate
        self.instances = instances
        self.started = started
        presenceInstance = instances.first { $0.presence != nil }
    }

    /// The instance of the local API, where the file has it.
    var entrance: ServiceInstance? { instances.first { $0.acceptsRequests } }

    /// The service that handles an operation declared as a call, with its ``APIHandler``.
    func handler(of operation: Operation) -> (instance: ServiceInstance, handler: any Sendable)? {
        handlers.withLock { handlers in
            if handlers == nil {
                handlers = [:]
                for instance in instances {
                    for route in instance.service?.routes ?? [] {
                        if let handler = route.callHandler { handlers?[route.operation.key] = (instance, handler) }
                    }
                }
            }
            // A stopped service handles no calls.
            guard let found = handlers?[operation.key], found.instance.service != nil else { return nil }
            return found
        }
    }

    package func instance(_ name: String) -> ServiceInstance? { instances.first { $0.name == name } }

    /// The routes of all services, with requests counted as in flight for their service.
    package var routes: [Route] {
        instances.flatMap { instance in
            instance.service?.routes.map { $0.counted(by: instance) }
                ?? (instance.needsUser ? instance.vacantRoutes(presence) : [])
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
    fileprivate func counted(by instance: ServiceInstance) -> Route {
        guard isCounted else { return self }
        var route = Route(operation, handler.counting(by: instance))
        route.runsInline = runsInline
        // A snapshot finishes before it could be observed.
        if case .snapshot = handler { return route }
        route.onBegin = {
            let arrival = Arrival(at: instance)
            return { arrival.end() }
        }
        return route
    }
}

extension Route.Handler {
    fileprivate func counting(by instance: ServiceInstance) -> Self {
        switch self {
        case .snapshot: self
        case .snapshotOrWork(let answer):
            .snapshotOrWork { request in
                switch try answer(request) {
                case .now(let response): .now(response)
                case .later(let work): .later { try await InFlight(in: instance).count(work) }
                }
            }
        case .work(let work):
            .work { request in try await InFlight(in: instance).count { try await work(request) } }
        case .stream(let work):
            .stream { request, body in try await InFlight(in: instance).count { try await work(request, body) } }
        case .streamOf(let type, let stream, let other):
            .streamOf(
                type,
                { request, body in try await InFlight(in: instance).count { try await stream(request, body) } },
                orElse: other.counting(by: instance)
            )
        }
    }
}

/// A routed request whose body may still arrive.
private final class Arrival: Sendable {
    private let instance: ServiceInstance
    private let isOver = Atomic(false)

    init(at instance: ServiceInstance) {
        self.instance = instance
        instance.arrivals.began()
    }

    /// Ends the count of a request without a response.
    deinit { end() }

    func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { instance.arrivals.ended() }
    }
}

/// A request in flight in a service, until its response is written or dropped.
private final class InFlight: Sendable {
    private let instance: ServiceInstance
    private let isOver = Atomic(false)

    init(in instance: ServiceInstance) {
        self.instance = instance
        instance.began()
    }

    /// Ends the count of a request whose response was not written.
    deinit { end() }

    private func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { instance.ended() }
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
