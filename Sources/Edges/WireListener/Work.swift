import Synchronization
import WireBase
import WireHTTP

/// What a request has set going that waits: a task of its own in the listener's run, and what passes between it and the
/// library's thread.
final class Work: Sendable {
    let isHead: Bool
    private let connection: Connection
    private let job: Job
    private let finished: @Sendable () -> Void
    private let state = Mutex(State())

    private enum Job {
        case request(@Sendable (any BodyReader) async -> Response)
        case body(Response)
    }

    struct State {
        /// The library's side of it while it is suspended.
        var suspended: LibraryExchange?
        var isGone = false
        var onGone: CheckedContinuation<Void, Never>?
        /// Two hold it, the connection and the task; the last to let go tells that it is finished.
        var holders = 2
        var incoming = Incoming()
        var response: Response?
        var answeredAt: UInt64 = 0
        var outgoing = Outgoing()
        var upgraded = Upgraded.no

        /// Has the library go on with the connection, where it is suspended.
        ///
        /// Under the lock, like the suspension: once the connection has been abandoned, the library may end at any time,
        /// which it must not while a connection is suspended, and its side of the connection ends with it.
        mutating func resumeLibrary() {
            suspended.take()?.resume()
        }
    }

    /// Whether the connection has left HTTP, where the answer says that it does.
    enum Upgraded {
        case no, gone
        case awaited(CheckedContinuation<UpgradedStream?, Never>)
        case yes(UpgradedStream)
    }

    struct Incoming {
        var bytes: [UInt8] = []
        var isEnded = false
        var failure: (any Error)?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
        var since: UInt64 = 0
    }

    struct Outgoing {
        var bytes: [UInt8] = []
        var offset = 0
        var isEnded = false
        var isBroken = false
        var writer: CheckedContinuation<Void, any Error>?
        var count: Int { bytes.count - offset }
    }

    /// How long what is left of a body may take to come once it is answered.
    private static let grace: UInt64 = 250_000_000

    /// How much of a body is kept for who is not ready for it.
    static let highWater = 65_536

    init(
        for connection: Connection,
        isHead: Bool,
        hasWholeBody: Bool,
        finished: @escaping @Sendable () -> Void,
        _ job: @escaping @Sendable (any BodyReader) async -> Response
    ) {
        // A body that was collected has come to its end before the work begins.
        if hasWholeBody { state.withLock { $0.incoming.isEnded = true } }
        self.connection = connection
        self.isHead = isHead
        self.finished = finished
        self.job = .request(job)
    }

    /// The body alone, of an answer that is known.
    init(for connection: Connection, isHead: Bool, finished: @escaping @Sendable () -> Void, answering: Response) {
        self.connection = connection
        self.isHead = isHead
        self.finished = finished
        job = .body(answering)
        state.withLock { $0.incoming.isEnded = true }
    }

    func withState<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        state.withLock(body)
    }

    // MARK: The task

    /// Carries it out, until it is done or nobody waits for it.
    func perform() async {
        await withTaskGroup { group in
            group.addTask { await self.carryOut() }
            group.addTask { await self.untilGone() }
            await group.next()
            group.cancelAll()
        }
        letGo()
    }

    private func carryOut() async {
        let response: Response
        switch job {
        case .body(let known): response = known
        case .request(let handler):
            response = await handler(IncomingBody(work: self))
            deliver(response)
        }
        if case .upgrade(let run) = response.body, let stream = await upgraded() {
            try? await run(stream)
            stream.finish()
        }
        guard case .stream(let write) = response.body, !isHead else { return }
        do {
            try await write(OutgoingBody(work: self))
            endBody(isBroken: false)
        } catch {
            endBody(isBroken: true)
        }
    }

    private func untilGone() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                let isOver = state.withLock { state in
                    if state.isGone || Task.isCancelled { return true }
                    state.onGone = waiting
                    return false
                }
                if isOver { waiting.resume() }
            }
        } onCancel: {
            state.withLock { $0.onGone.take() }?.resume()
        }
    }

    /// There is nobody who would run it.
    func neverRan() {
        deliver(Self.closing.response)
        endBody(isBroken: true)
        letGo()
    }

    private func letGo() {
        let isLast = state.withLock { state in
            state.holders -= 1
            return state.holders == 0
        }
        if isLast { finished() }
    }

    private func deliver(_ response: Response) {
        let isEarly = state.withLock { state in
            state.response = response
            state.answeredAt = Monotonic.now
            state.resumeLibrary()
            return !state.incoming.isEnded && !state.isGone
        }
        if isEarly { connection.answeredEarly(response) }
    }

    private func endBody(isBroken: Bool) {
        state.withLock { state in
            state.outgoing.isEnded = true
            state.outgoing.isBroken = isBroken
            state.resumeLibrary()
        }
    }

    static let closing = Problem(
        .unavailable,
        "closing",
        "the listener is closing",
        detail: "nothing new is begun",
        fields: ["Retry-After": "1"]
    )

    // MARK: The connection

    enum Look { case wait, gone, answer(Response) }

    /// What there is to answer; where there is nothing yet, the library waits for it.
    ///
    /// The library is called under the lock: it must be suspended before the answer comes that resumes it. It takes its
    /// own lock there and never calls back.
    func answer(or exchange: LibraryExchange) -> Look {
        let (look, reader) = state.withLock { state -> (Look, CheckedContinuation<[UInt8]?, any Error>?) in
            state.incoming.isEnded = true
            let reader = state.incoming.bytes.isEmpty ? state.incoming.reader.take() : nil
            if state.isGone { return (.gone, reader) }
            if let response = state.response { return (.answer(response), reader) }
            exchange.suspend()
            state.suspended = exchange
            return (.wait, reader)
        }
        reader?.resume(returning: nil)
        return look
    }

    /// Nobody is there any more: whoever waits in it is told, and the task is cancelled.
    func leave() {
        let taken = state.withLock { state in
            state.isGone = true
            state.resumeLibrary()
            return (
                onGone: state.onGone.take(), reader: state.incoming.reader.take(), failure: state.incoming.failure,
                writer: state.outgoing.writer.take(), upgrade: state.loseUpgrade()
            )
        }
        taken.upgrade?.resume(returning: nil)
        taken.onGone?.resume()
        taken.reader?.resume(throwing: taken.failure ?? ConnectionGone())
        taken.writer?.resume(throwing: ConnectionGone())
    }

    func exchangeEnded() {
        leave()
        letGo()
    }

    /// Whether the request is there, and nothing of an answer yet.
    var isAwaited: Bool {
        state.withLock { $0.suspended != nil && $0.incoming.isEnded && $0.response == nil }
    }

    // MARK: The body that comes

    var expectsBody: Bool { state.withLock { !$0.incoming.isEnded } }

    /// Takes a piece of the body in; once there is an answer nobody reads it.
    func bodyCame(_ bytes: UnsafeRawBufferPointer, _ exchange: LibraryExchange) {
        let (reader, taken) = state.withLock { state -> (CheckedContinuation<[UInt8]?, any Error>?, [UInt8]) in
            if state.response != nil || state.isGone { return (nil, []) }
            unsafe state.incoming.bytes.append(contentsOf: bytes)
            if let reader = state.incoming.reader.take() { return (reader, state.incoming.takeAll()) }
            if state.incoming.bytes.count >= Self.highWater {
                exchange.suspend()
                state.suspended = exchange
            }
            return (nil, [])
        }
        reader?.resume(returning: taken)
    }

    /// Says what a reader is told when the connection is dismissed, which is next.
    func inputFailed(_ failure: any Error) {
        state.withLock { $0.incoming.failure = failure }
    }

    enum Patience { case left, over, answered(Response) }

    /// Whether a body that does not end is still waited for: not once it is answered, nor where nothing has come since a
    /// time for who reads it.
    func patience(at now: UInt64, since time: UInt64) -> Patience {
        state.withLock { state in
            guard !state.incoming.isEnded else { return .left }
            if let response = state.response {
                return now > state.answeredAt + Self.grace ? .answered(response) : .left
            }
            return state.incoming.reader != nil && state.incoming.since < time ? .over : .left
        }
    }

    func read() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { reader in
                let result = state.withLock { state in state.read(reader, now: Monotonic.now) }
                if let result { reader.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.incoming.reader.take() }?.resume(throwing: CancellationError())
        }
    }

    // MARK: The body that goes

    func write(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { writer in
                let result = state.withLock { state in state.write(bytes, writer) }
                if let result { writer.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.outgoing.writer.take() }?.resume(throwing: CancellationError())
        }
    }

    /// The library's question for more of the body: how many bytes there are, or that it waits, or the end.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, _ exchange: LibraryExchange) -> Int {
        let (count, writer) = state.withLock { state -> (Int, CheckedContinuation<Void, any Error>?) in
            if state.isGone { return (LibraryExchange.brokenBody, nil) }
            let count = unsafe state.outgoing.take(into: buffer)
            if count > 0 {
                return (count, state.outgoing.count < Self.highWater ? state.outgoing.writer.take() : nil)
            }
            if state.outgoing.isEnded {
                return (state.outgoing.isBroken ? LibraryExchange.brokenBody : LibraryExchange.endOfBody, nil)
            }
            exchange.suspend()
            state.suspended = exchange
            return (0, nil)
        }
        writer?.resume()
        return count
    }
}
