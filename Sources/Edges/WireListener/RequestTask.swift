import Synchronization
import WireBase
import WireHTTP

/// A request handled asynchronously: its task, and the exchange with the library's thread.
final class RequestTask: Sendable {
    let isHead: Bool
    /// Whether the handler runs on the library's thread, which saves two changes of the thread.
    private let runsInline: Bool
    private let connection: Connection
    private let job: Job
    private let finished: @Sendable () -> Void
    private let state = Mutex(State())

    private enum Job {
        case request(@Sendable (any BodyReader) async -> Response)
        case body(Response)
    }

    struct State {
        /// The library's handle while the connection is suspended.
        var suspended: MHDConnection?
        var isGone = false
        /// The running task, and whether it is cancelled as soon as it is known.
        var task: Task<Void, Never>?
        var isCancelled = false
        /// The number of owners, the connection and the task; the last one to release it reports the end.
        var holders = 2
        var incoming = Incoming()
        var response: Response?
        var answeredAt: UInt64 = 0
        var outgoing = Outgoing()
        var upgraded = Upgraded.no

        /// Resumes the connection if it is suspended.
        ///
        /// Under the lock, like the suspension: once the connection is abandoned, the library may end at any time,
        /// which it must not do with a suspended connection.
        mutating func resumeLibrary() {
            suspended.take()?.resume()
        }
    }

    /// The state of an upgrade that the response requested.
    enum Upgraded {
        case no, gone
        case awaited(CheckedContinuation<SocketStream?, Never>)
        case yes(SocketStream)
    }

    struct Incoming {
        var bytes: [UInt8] = []
        var isEnded = false
        var failure: (any Error)?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
        var since: UInt64 = 0
    }

    struct Outgoing {
        /// The parts as they were written: joining them would copy each byte once more.
        private var parts: [[UInt8]] = []
        /// What the library has taken of the first part.
        private var offset = 0
        private(set) var count = 0
        var isEnded = false
        var isBroken = false
        /// Who waits for room, by the numbers of their writes.
        var writers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var lastWrite: UInt64 = 0

        private static let small = 1_024

        mutating func append(_ bytes: [UInt8]) {
            count += bytes.count
            if let last = parts.indices.last, parts[last].count + bytes.count <= Self.small {
                parts[last] += bytes
            } else {
                parts.append(bytes)
            }
        }

        mutating func takeWriters() -> [CheckedContinuation<Void, any Error>] {
            defer { writers = [:] }
            return Array(writers.values)
        }

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            var (filled, next) = (0, 0)
            while filled < buffer.count, next < parts.count {
                let piece = min(parts[next].count - offset, buffer.count - filled)
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + piece])
                unsafe parts[next].withUnsafeBytes { part in
                    unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: part[offset..<offset + piece]))
                }
                (filled, offset) = (filled + piece, offset + piece)
                if offset == parts[next].count { (next, offset) = (next + 1, 0) }
            }
            parts.removeFirst(next)
            count -= filled
            return filled
        }
    }

    /// The time for the rest of a body after the response.
    private static let grace: UInt64 = 250_000_000

    /// The largest part of a body that is buffered for a slow reader.
    static let highWater = 65_536

    init(
        for connection: Connection,
        isHead: Bool,
        hasWholeBody: Bool,
        runsInline: Bool,
        finished: @escaping @Sendable () -> Void,
        _ job: @escaping @Sendable (any BodyReader) async -> Response
    ) {
        // A collected body is complete before the work begins.
        if hasWholeBody { state.withLock { $0.incoming.isEnded = true } }
        self.connection = connection
        self.isHead = isHead
        self.runsInline = runsInline
        self.finished = finished
        self.job = .request(job)
    }

    /// Creates the work for the body of a known response.
    init(
        for connection: Connection,
        isHead: Bool,
        runsInline: Bool,
        finished: @escaping @Sendable () -> Void,
        answering: Response
    ) {
        self.connection = connection
        self.isHead = isHead
        self.runsInline = runsInline
        self.finished = finished
        job = .body(answering)
        state.withLock { $0.incoming.isEnded = true }
    }

    func withState<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        state.withLock(body)
    }

    // MARK: Task

    /// Starts the task, which is cancelled when the caller disconnects.
    func begin(then ended: @escaping @Sendable () -> Void) {
        let perform: @Sendable () async -> Void = {
            await self.carryOut()
            self.letGo()
            ended()
        }
        let task = Task(executorPreference: runsInline ? connection.thread : nil) { await perform() }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
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
            // It goes on for as long as the other side sends, and must not hold up other connections.
            try? await withTaskExecutorPreference(globalConcurrentExecutor) { try await run(stream) }
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

    /// Ends work that no task will run.
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
        detail: "no new requests are accepted",
        fields: ["Retry-After": "1"]
    )

    // MARK: Connection

    enum ResponseState { case wait, gone, answer(Response) }

    /// Returns the response; without one the library suspends the connection.
    ///
    /// The library is called under the lock: the suspension must precede the response that resumes it. The library
    /// takes its own lock there and never calls back.
    func answer(or exchange: MHDConnection) -> ResponseState {
        let (responseState, reader) = state.withLock {
            state -> (ResponseState, CheckedContinuation<[UInt8]?, any Error>?) in
            state.incoming.isEnded = true
            let reader = state.incoming.bytes.isEmpty ? state.incoming.reader.take() : nil
            if state.isGone { return (.gone, reader) }
            if let response = state.response { return (.answer(response), reader) }
            exchange.suspend()
            state.suspended = exchange
            return (.wait, reader)
        }
        reader?.resume(returning: nil)
        return responseState
    }

    /// Ends the work after a disconnect: resumes its waiters and cancels the task.
    func leave() {
        let taken = state.withLock { state in
            state.isGone = true
            state.resumeLibrary()
            return (
                reader: state.incoming.reader.take(), failure: state.incoming.failure,
                writers: state.outgoing.takeWriters(), upgrade: state.loseUpgrade()
            )
        }
        cancel()
        taken.upgrade?.resume(returning: nil)
        taken.reader?.resume(throwing: taken.failure ?? ConnectionGone())
        for writer in taken.writers { writer.resume(throwing: ConnectionGone()) }
    }

    func exchangeEnded() {
        leave()
        letGo()
    }

    /// Whether the request is complete without a response yet.
    var isAwaited: Bool {
        state.withLock { $0.suspended != nil && $0.incoming.isEnded && $0.response == nil }
    }

    // MARK: Request body

    /// Records that the body is complete, before the handler starts.
    func bodyEnded() {
        state.withLock { $0.incoming.isEnded = true }
    }

    var expectsBody: Bool { state.withLock { !$0.incoming.isEnded } }

    /// Accepts a piece of the body; after the response it has no reader.
    func bodyCame(_ bytes: UnsafeRawBufferPointer, _ exchange: MHDConnection) {
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

    /// Sets the error for a reader before the connection is dismissed.
    func inputFailed(_ failure: any Error) {
        state.withLock { $0.incoming.failure = failure }
    }

    enum Patience { case left, over, answered(Response) }

    /// Whether an unfinished body may still come: not after the response, nor after a timeout while a reader waits.
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

    // MARK: Response body

    func write(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        let id = state.withLock { state in
            state.outgoing.lastWrite += 1
            return state.outgoing.lastWrite
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { writer in
                let result = state.withLock { state in state.write(bytes, writer, id) }
                if let result { writer.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.outgoing.writers.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    /// Returns the next bytes of the body to the library, or that it must wait, or the end.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, _ exchange: MHDConnection) -> Int {
        let (count, writers) = state.withLock { state -> (Int, [CheckedContinuation<Void, any Error>]) in
            if state.isGone { return (MHDConnection.brokenBody, []) }
            let count = unsafe state.outgoing.read(into: buffer)
            if count > 0 {
                return (count, state.outgoing.count < Self.highWater ? state.outgoing.takeWriters() : [])
            }
            if state.outgoing.isEnded {
                return (state.outgoing.isBroken ? MHDConnection.brokenBody : MHDConnection.endOfBody, [])
            }
            exchange.suspend()
            state.suspended = exchange
            return (0, [])
        }
        for writer in writers { writer.resume() }
        return count
    }
}
