import Synchronization
package import WireBase
package import WireHTTP
import WireConfig
package import WireService
package import WireTelemetry

/// Routes each request to the generation that is current when its head arrives; a request never spans two generations.
package final class GenerationDispatcher: RequestDispatcher {
    fileprivate final class Present: Sendable {
        let generation: Generation
        let router: Router
        /// Response fields that identify the runner.
        let marks: Fields
        /// The response time histograms, by route; the last one is for requests without a route.
        let meters: [StatusHistograms]
        let clock: TimeSource
        let sections: SectionPaths

        init(
            generation: Generation,
            router: Router,
            marks: Fields,
            meters: [StatusHistograms],
            clock: TimeSource,
            sections: SectionPaths
        ) {
            self.sections = sections
            self.generation = generation
            self.router = router
            self.marks = marks
            self.meters = meters
            self.clock = clock
        }
    }

    private let state = Mutex<(present: Present?, bodyLimit: ByteCount)>((nil, .mebibytes(1)))
    private let isReady = OneShot()
    private let isClosed = OneShot()
    private let clock: TimeSource
    private let log: Log
    private let durations: MetricFamily<Histogram>
    /// How long a request waits for the first generation.
    private let patience: Duration
    private let sections: SectionPaths

    package init(
        clock: TimeSource,
        log: Log,
        metrics: Metrics = Metrics(),
        patience: Duration = .seconds(30),
        services: [any Service.Type] = []
    ) {
        sections = SectionPaths(services)
        self.clock = clock
        durations = metrics.histograms(
            "corewire_api_request_duration_seconds",
            "Duration of local API requests until their response is known, by route and status class.",
            by: ["method", "route", "code"],
            in: .answers,
            upTo: 1_000
        )
        self.log = log
        self.patience = patience
    }

    /// Routes new requests to another generation; earlier ones stay with theirs.
    func install(_ generation: Generation) {
        let present = present(of: generation, state.withLock { $0.bodyLimit })
        state.withLock { $0.present = present }
        isReady.fire()
    }

    /// Rejects new requests except for status queries; earlier requests continue.
    func close() {
        isClosed.fire()
        // Requests that wait for the first generation are released.
        isReady.fire()
    }

    /// Releases the last generation.
    func release() { state.withLock { $0.present = nil } }

    package func limitBodies(to limit: ByteCount) {
        let generation = state.withLock { state in
            state.bodyLimit = limit
            return state.present?.generation
        }
        if let generation { install(generation) }
    }

    private func present(of generation: Generation, _ bodyLimit: ByteCount) -> Present {
        let (log, isClosed) = (log, isClosed)
        let open = Set(generation.entrance?.service?.routes.filter { $0.method == .get }.map(\.pattern) ?? [])
        let routes = generation.routes
        let router = Router(
            routes,
            bodyLimit: bodyLimit,
            accessCheck: { route, request in
                if let problem = request.rights.problem(with: route, request) { return problem }
                return isClosed.hasFired && !(route.method == .get && open.contains(route.pattern)) ? .stopping : nil
            },
            mishap: { route, error in
                // A client may disconnect at any time, which is not a failure.
                guard !(error is ConnectionGone) else { return }
                log.error("a request failed", ["route": .text(route.pattern), "reason": .text(Fault(error).reason)])
            }
        )
        var marks: Fields = ["Corewire-Generation": "\(generation.number)"]
        if let name = generation.candidate.facts.name { marks.add("Corewire-Environment", name) }
        let meters =
            routes.map { StatusHistograms(durations, $0.method.name, $0.pattern) }
            + [StatusHistograms(durations, "other", "none")]
        return Present(
            generation: generation,
            router: router,
            marks: marks,
            meters: meters,
            clock: clock,
            sections: sections
        )
    }

    /// The current generation, marked as in use before a swap can happen.
    private var present: Present? {
        state.withLock { state in
            state.present?.generation.inFlightRequests.began()
            return state.present
        }
    }

    /// Delays requests until the first generation runs, instead of rejecting them.
    package func exchange(for head: Request) -> Exchange {
        if let present { return present.exchange(for: head) }
        let limit = state.withLock { $0.bodyLimit }
        return Exchange(
            .collect(upTo: limit) { request in
                .later {
                    try? await Deadline(limit: self.patience, clock: self.clock).run { await self.isReady.wait() }
                    guard let present = self.present else {
                        return (self.isClosed.hasFired ? Problem.stopping : Problem.starting).response
                    }
                    return await present.exchange(for: head).answer(request)
                }
            }
        )
    }
}

extension GenerationDispatcher.Present {
    fileprivate func exchange(for head: Request) -> Exchange {
        defer { generation.inFlightRequests.ended() }
        let (begin, marks, clock) = (clock.monotonic(), marks, clock)
        var exchange = router.exchange(for: head)
        if exchange.route == nil, let owner = sections.owner(of: head.target),
            generation.instance(owner.section) == nil
        {
            exchange = Exchange(.answer(Problem.noSection(owner).response))
        }
        let meter = meters[exchange.route ?? meters.endIndex - 1]
        return exchange.answering { response in
            meter.observe(clock.monotonic() - begin, status: response.status.code)
            var response = response
            response.fields.add(marks)
            return response
        }
    }
}

extension Exchange {
    /// Answers a request whose body has arrived.
    fileprivate func answer(_ request: Request) async -> Response {
        switch plan {
        case .answer(let response): return response
        case .collect(let limit, let answer):
            guard request.body.count <= limit.bytes else { return Problem.bodyTooLarge(limit).response }
            switch answer(request) {
            case .now(let response): return response
            case .later(let work): return await work()
            }
        case .stream(_, let answer): return await answer(request, CollectedBody(request.body))
        }
    }
}

/// A collected body for handlers that stream.
private final class CollectedBody: BodyReader {
    private let rest: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes.isEmpty ? nil : bytes)
    }

    func read() async throws -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest
        }
    }
}

extension Problem {
    /// No service has the path, since the file lacks its section.
    fileprivate static func noSection(_ owner: SectionPaths.Owner) -> Problem {
        var problem = Problem(
            .notFound,
            "no-such-path",
            "no such path",
            detail: "the services file has no section \(owner.section.quoted)"
        )
        problem.carried = .members(["help": .string(owner.help)])
        return problem
    }

    fileprivate static let stopping = Problem(
        .unavailable,
        "stopping",
        "the runner is stopping",
        detail: "current requests are completed, and no new ones are accepted",
        fields: ["Retry-After": "1"]
    )

    fileprivate static let starting = Problem(
        .unavailable,
        "starting",
        "the runner is starting",
        detail: "wait until /readyz responds with 200",
        fields: ["Retry-After": "1"]
    )
}
