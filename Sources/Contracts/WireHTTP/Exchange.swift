package import WireBase

/// Decides what is done with a request, from its head alone.
///
/// A listener asks on its own thread, so the answer must come without waiting.
package protocol Responder: Sendable {
    func exchange(for head: Request) -> Exchange
}

/// One request and its answer.
package struct Exchange: Sendable {
    package let plan: Plan
    /// Told once, when the last byte of the answer has left or the connection is gone, and its work has ended.
    package let finished: @Sendable () -> Void
    /// Whether nothing is answered, and the connection is cut at once, as by a machine that fails.
    package var isCut = false
    /// The place of its route among those of the router; nil where no route is asked for.
    package var route: Int?

    package enum Plan: Sendable {
        /// The answer is known; a body that comes is not read.
        case answer(Response)
        /// The body is collected first, up to a limit past which the listener answers 413.
        case collect(upTo: ByteCount, @Sendable (Request) -> Answer)
        /// The body is read as it arrives.
        case stream(upTo: ByteCount?, @Sendable (Request, any BodyReader) async -> Response)
    }

    package enum Answer: Sendable {
        /// From a snapshot, on the listener's own thread.
        case now(Response)
        /// After work that waits; the listener's thread goes on meanwhile.
        case later(@Sendable () async -> Response)
    }

    package init(_ plan: Plan, finished: @escaping @Sendable () -> Void = {}) {
        self.plan = plan
        self.finished = finished
    }
}

extension Exchange.Plan {
    /// The same, with every answer changed on its way out.
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
