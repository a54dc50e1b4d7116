import Synchronization
package import WireBase
package import WireHTTP
import WireConfig
import WireService
package import WireTelemetry

/// Leads every request to the generation that runs when its head arrives, whole: none is answered by two.
package final class Front: RequestFront {
    fileprivate final class Present: Sendable {
        let generation: Generation
        let router: Router
        /// What answers say of where they come from.
        let marks: Fields
        /// How long answers take, by route; the last is of what no route is for.
        let meters: [StatusHistograms]
        let clock: Clockwork

        init(
            generation: Generation,
            router: Router,
            marks: Fields,
            meters: [StatusHistograms],
            clock: Clockwork
        ) {
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
    private let clock: Clockwork
    private let log: Log
    private let durations: MetricFamily<Histogram>
    /// How long a request waits for the first generation.
    private let patience: Duration

    package init(clock: Clockwork, log: Log, metrics: Metrics = Metrics(), patience: Duration = .seconds(30)) {
        self.clock = clock
        durations = metrics.histograms(
            "corewire_api_request_duration_seconds",
            "How long requests to the local API took until their answer was known, by route and class of the status.",
            by: ["method", "route", "code"],
            in: .answers,
            upTo: 1_000
        )
        self.log = log
        self.patience = patience
    }

    /// From here on requests go to another generation; those that have arrived stay where they are.
    func install(_ generation: Generation) {
        let present = present(of: generation, state.withLock { $0.bodyLimit })
        state.withLock { $0.present = present }
        isReady.fire()
    }

    /// From here on nothing new is begun: callers may still look at how the runner is, and what has arrived goes on.
    func close() {
        isClosed.fire()
        // Requests that wait for the first generation wait for nothing.
        isReady.fire()
    }

    /// Nothing runs any more, and nothing of what ran is kept.
    func letGo() { state.withLock { $0.present = nil } }

    package func limitBodies(to limit: ByteCount) {
        let generation = state.withLock { state in
            state.bodyLimit = limit
            return state.present?.generation
        }
        if let generation { install(generation) }
    }

    private func present(of generation: Generation, _ bodyLimit: ByteCount) -> Present {
        let (log, isClosed) = (log, isClosed)
        let open = Set(generation.door?.service?.routes.filter { $0.method == .get }.map(\.pattern) ?? [])
        let routes = generation.routes
        let router = Router(
            routes,
            bodyLimit: bodyLimit,
            gate: { route, request in
                if let problem = request.rights.problem(with: route, request) { return problem }
                return isClosed.hasFired && !(route.method == .get && open.contains(route.pattern)) ? .stopping : nil
            },
            mishap: { route, error in
                // Callers hang up as they please, which is no failure of this program.
                guard !(error is ConnectionGone) else { return }
                log.error("a request failed", ["route": .text(route.pattern), "reason": .text(Fault(error).reason)])
            }
        )
        var marks: Fields = ["Corewire-Generation": "\(generation.number)"]
        if let name = generation.candidate.facts.name { marks.add("Corewire-Environment", name) }
        let meters =
            routes.map { StatusHistograms(durations, $0.method.name, $0.pattern) }
            + [StatusHistograms(durations, "other", "none")]
        return Present(generation: generation, router: router, marks: marks, meters: meters, clock: clock)
    }

    /// What leads a request now; its generation knows of that before another one can take over.
    private var present: Present? {
        state.withLock { state in
            state.present?.generation.led.began()
            return state.present
        }
    }

    /// A request that comes before anything runs waits, instead of being refused.
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

extension Front.Present {
    fileprivate func exchange(for head: Request) -> Exchange {
        defer { generation.led.ended() }
        let (begin, marks, clock) = (clock.monotonic(), marks, clock)
        let exchange = router.exchange(for: head)
        let meter = meters[exchange.route ?? meters.endIndex - 1]
        let plan = exchange.plan.answering { response in
            meter.observe(clock.monotonic() - begin, status: response.status.code)
            var response = response
            response.fields.add(marks)
            return response
        }
        return Exchange(plan, finished: exchange.finished)
    }
}

extension Exchange {
    /// The answer to a request whose body is here already.
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

/// A body that is here already, for who reads it as it comes.
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
    fileprivate static let stopping = Problem(
        .unavailable,
        "stopping",
        "the runner is stopping",
        detail: "what it had begun ends, and nothing new is begun",
        fields: ["Retry-After": "1"]
    )

    fileprivate static let starting = Problem(
        .unavailable,
        "starting",
        "nothing runs yet",
        detail: "the runner is starting; /readyz tells when it has",
        fields: ["Retry-After": "1"]
    )
}
