package import WireBase

/// Decides from the head of a request how the request is handled.
///
/// A listener calls the responder on its own thread, so the responder must not block.
package protocol Responder: Sendable {
    func exchange(for head: Request) -> Exchange
}

/// One request with the plan for its response.
package struct Exchange: Sendable {
    package private(set) var plan: Plan
    /// Called once, when the last byte of the response is sent or the connection is lost, and the handler has ended.
    package let finished: @Sendable () -> Void
    /// Whether to cut the connection at once without a response, to simulate a failing server.
    package var isCut = false
    /// Whether asynchronous work may run on the listener's own thread, because all of its steps are short.
    package var runsInline = false
    /// The index of the route in the router; nil where no route matches.
    package var route: Int?

    package enum Plan: Sendable {
        /// Sends a known response; a request body is not read.
        case answer(Response)
        /// Collects the body first, up to a limit; the listener responds with 413 beyond that.
        case collect(upTo: ByteCount, @Sendable (Request) -> Answer)
        /// Passes the body to the handler while it arrives.
        case stream(upTo: ByteCount?, @Sendable (Request, any BodyReader) async -> Response)
    }

    package enum Answer: Sendable {
        /// Responds from a snapshot, on the listener's own thread.
        case now(Response)
        /// Responds after asynchronous work; the listener's thread is not blocked.
        case later(@Sendable () async -> Response)
    }

    package init(_ plan: Plan, finished: @escaping @Sendable () -> Void = {}) {
        self.plan = plan
        self.finished = finished
    }
}

extension Exchange {
    /// Returns the exchange with a transformation applied to every response.
    package func answering(_ change: @escaping @Sendable (Response) -> Response) -> Self {
        var exchange = self
        exchange.plan = plan.answering(change)
        return exchange
    }
}

extension Exchange.Plan {
    /// Returns the plan with a transformation applied to every response.
    package func answering(_ change: @escaping @Sendable (Response) -> Response) -> Self {
        switch self {
        case .answer(let response): .answer(change(response))
        case .collect(let limit, let answer):
            .collect(upTo: limit) { request in
                switch answer(request) {
                case .now(let response): .now(change(response))
                case .later(let work): .later { change(await work()) }
                }
            }
        case .stream(let limit, let answer): .stream(upTo: limit) { change(await answer($0, $1)) }
        }
    }
}
