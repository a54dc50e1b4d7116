import Dispatch
import Synchronization
import WireStore

/// The one connection of a process that writes to a file, on a thread of its own.
///
/// What is asked for while it writes waits together, and becomes one transaction with one confirmation of the disk. Each
/// caller gets its own answer: what fails leaves no trace, and does not fail the others.
final class Writer: Sendable {
    private let queue: DispatchQueue
    private let waiting = Mutex(Waiting())
    private let desk: Desk
    /// Why it writes no more.
    let verdict = Verdict()
    private let watch: FileWatch?

    private struct Waiting {
        var jobs: [any Job] = []
        var isAwake = false
        var isClosed = false
    }

    init(
        _ connection: consuming Connection,
        name: String,
        confirmation: Schema.Confirmation,
        standing: Standing? = nil,
        mark: MarkKeeper? = nil,
        onCommit: @escaping @Sendable () -> Void
    ) {
        let queue = DispatchQueue(label: name)
        let desk = Desk(connection, confirmation, verdict, standing, mark, onCommit: onCommit)
        (self.queue, self.desk) = (queue, desk)
        // How long the files are is known from now on.
        desk.look()
        // A commit looks at once; where nothing is written, the files of a folder that is being removed go in peace.
        watch = standing.flatMap { standing in
            FileWatch(standing.watched, on: queue) { [weak desk] in
                queue.asyncAfter(deadline: .now() + .milliseconds(200)) { desk?.look() }
            }
        }
    }

    /// Notes what a reader has found to be damaged; what is written after this returns is refused.
    func report(_ failure: StoreFailure) {
        queue.sync { desk.note(failure) }
    }

    /// Runs a body in a transaction, and returns its result when the disk has confirmed it.
    ///
    /// The body may run more than once: where others of the same transaction fail, it is begun again. What need not be
    /// confirmed may be undone by a power cut, never in part and never without all that was written after it.
    func write<Result: Sendable>(
        isConfirmed: Bool = true,
        _ body: @escaping @Sendable (inout Connection) throws(StoreFailure) -> Result
    ) async throws(StoreFailure) -> Result {
        let result: Swift.Result<Result, StoreFailure> = await withCheckedContinuation { continuation in
            write(isConfirmed: isConfirmed, body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// The same for who does not wait; called back on the writer's thread.
    func write<Result: Sendable>(
        isConfirmed: Bool = true,
        _ body: @escaping @Sendable (inout Connection) throws(StoreFailure) -> Result,
        then answer: @escaping @Sendable (Swift.Result<Result, StoreFailure>) -> Void
    ) {
        let job = Asked(isConfirmed, body, answer)
        if !submit(job) { job.finish(.closed) }
    }

    /// Runs a body between transactions, when nothing is being written.
    func maintain<Result: Sendable>(_ body: @escaping @Sendable (inout Connection) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body(&self.desk.connection)) }
        }
    }

    /// Writes what waits, and closes the connection; what is asked for afterwards is refused.
    func close() async {
        waiting.withLock { $0.isClosed = true }
        watch?.end()
        await withCheckedContinuation { continuation in
            queue.async {
                self.work()
                self.desk.close()
                continuation.resume()
            }
        }
    }

    private func submit(_ job: any Job) -> Bool {
        let (isTaken, wakes) = waiting.withLock { waiting in
            guard !waiting.isClosed else { return (false, false) }
            waiting.jobs.append(job)
            defer { waiting.isAwake = true }
            return (true, !waiting.isAwake)
        }
        if wakes { queue.async { self.work() } }
        return isTaken
    }

    private func work() {
        while true {
            let batch = waiting.withLock { waiting in
                let batch = Array(waiting.jobs.prefix(Self.largestBatch))
                waiting.jobs.removeFirst(batch.count)
                waiting.isAwake = !batch.isEmpty
                return batch
            }
            if batch.isEmpty { return }
            desk.commit(batch)
            desk.tidy()
        }
    }

    private static let largestBatch = 256
}

/// A piece of a transaction, and who waits for it.
///
/// Touched by the writer's queue alone once it is submitted.
protocol Job: Sendable {
    /// Whether who waits is answered once the disk has confirmed it.
    var isConfirmed: Bool { get }
    /// Does its part; returns why it could not, and has then to be taken back where it wrote something.
    func run(_ connection: inout Connection) -> StoreFailure?
    /// Answers: with its own result, or with what became of the transaction.
    func finish(_ failure: StoreFailure?)
}

/// A job with a result.
///
/// Sendable unchecked: made by one task, handed to the writer's serial queue under a lock, and touched there alone.
private final class Asked<Result: Sendable>: Job, @unchecked Sendable {
    typealias Answer = Swift.Result<Result, StoreFailure>

    let isConfirmed: Bool
    private let body: @Sendable (inout Connection) throws(StoreFailure) -> Result
    private let tell: @Sendable (Answer) -> Void
    private var answer: Answer = .failure(.closed)

    init(
        _ isConfirmed: Bool,
        _ body: @escaping @Sendable (inout Connection) throws(StoreFailure) -> Result,
        _ tell: @escaping @Sendable (Answer) -> Void
    ) {
        self.isConfirmed = isConfirmed
        self.body = body
        self.tell = tell
    }

    func run(_ connection: inout Connection) -> StoreFailure? {
        do {
            answer = .success(try body(&connection))
            return nil
        } catch {
            answer = .failure(error)
            return error
        }
    }

    func finish(_ failure: StoreFailure?) {
        tell(failure.map(Answer.failure) ?? answer)
    }
}
