import Dispatch
import Synchronization
import WireStore

/// The only connection of a process that writes to a file, on its own thread.
///
/// Requests that arrive during a write are queued and become one transaction with one confirmation of the disk. Each
/// caller gets its own answer: a failed job leaves no trace and does not fail the others.
final class Writer: Sendable {
    private let queue: DispatchQueue
    private let waiting = Mutex(Waiting())
    private let groupCommit: GroupCommit
    /// The reason for which writes are refused.
    let verdict = StoreLatch()
    private let watch: FileWatch?

    private struct Waiting {
        var jobs: [any Job] = []
        var isAwake = false
        var isClosed = false
    }

    init(
        _ connection: consuming Connection,
        name: String,
        confirmation: Schema.Durability,
        fileCheck: StoreFileCheck? = nil,
        mark: MarkUpdater? = nil,
        onCommit: @escaping @Sendable (Set<Changes.Subject>?) -> Void
    ) {
        let queue = DispatchQueue(label: name)
        let groupCommit = GroupCommit(connection, confirmation, verdict, fileCheck, mark, onCommit: onCommit)
        (self.queue, self.groupCommit) = (queue, groupCommit)
        // Records the lengths of the files.
        groupCommit.checkFile()
        // A commit checks at once; without writes, the files of a folder that is being removed raise no alarm.
        watch = fileCheck.flatMap { fileCheck in
            FileWatch(fileCheck.watched, on: queue) { [weak groupCommit] in
                queue.asyncAfter(deadline: .now() + .milliseconds(200)) { groupCommit?.checkFile() }
            }
        }
    }

    /// Records damage found by a reader; returns the loss of a file where that is the cause.
    ///
    /// Later writes are refused.
    func report(_ failure: StoreFailure) -> StoreFailure {
        // In a truncated file SQLite may find no tables.
        guard failure.isFinal || failure.kind == .other else { return failure }
        queue.sync { groupCommit.record(failure) }
        return verdict.loss ?? failure
    }

    /// Runs a body in a transaction and returns its result once the disk has confirmed it.
    ///
    /// Waiters for the subject are woken; without a subject all are.
    /// The body may run more than once if other jobs of the transaction fail. An unconfirmed write may be undone by a
    /// power cut, but never in part, and only together with all later writes.
    func write<Result: Sendable>(
        of subject: Changes.Subject? = nil,
        isConfirmed: Bool = true,
        _ body: @escaping @Sendable (inout Connection) throws(StoreFailure) -> Result
    ) async throws(StoreFailure) -> Result {
        let result: Swift.Result<Result, StoreFailure> = await withCheckedContinuation { continuation in
            write(of: subject, isConfirmed: isConfirmed, body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Runs a body without waiting; the callback is called on the writer's thread.
    func write<Result: Sendable>(
        of subject: Changes.Subject? = nil,
        isConfirmed: Bool = true,
        _ body: @escaping @Sendable (inout Connection) throws(StoreFailure) -> Result,
        then answer: @escaping @Sendable (Swift.Result<Result, StoreFailure>) -> Void
    ) {
        let job = Asked(subject, isConfirmed, body, answer)
        if !submit(job) { job.finish(.closed) }
    }

    /// Runs a body between transactions.
    func maintain<Result: Sendable>(_ body: @escaping @Sendable (inout Connection) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body(&self.groupCommit.connection)) }
        }
    }

    /// Finishes queued writes and closes the connection; later requests fail.
    func close() async {
        waiting.withLock { $0.isClosed = true }
        watch?.end()
        await withCheckedContinuation { continuation in
            queue.async {
                self.work()
                self.groupCommit.close()
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
            groupCommit.commit(batch)
            groupCommit.tidy()
        }
    }

    private static let largestBatch = 256
}

/// A part of a transaction, with its waiting caller.
///
/// Used only on the writer's queue once submitted.
protocol Job: Sendable {
    /// What it changes; nil means anything.
    var subject: Changes.Subject? { get }
    /// Whether the caller is answered only after the disk's confirmation.
    var isConfirmed: Bool { get }
    /// Runs the job; returns its failure, after which a job that has written is rolled back.
    func run(_ connection: inout Connection) -> StoreFailure?
    /// Answers the caller with the job's result, or with the transaction's failure.
    func finish(_ failure: StoreFailure?)
}

/// A job with a result.
///
/// Sendable unchecked: created by one task, handed to the writer's serial queue under a lock, and used only there.
private final class Asked<Result: Sendable>: Job, @unchecked Sendable {
    typealias Answer = Swift.Result<Result, StoreFailure>

    let subject: Changes.Subject?
    let isConfirmed: Bool
    private let body: @Sendable (inout Connection) throws(StoreFailure) -> Result
    private let tell: @Sendable (Answer) -> Void
    private var answer: Answer = .failure(.closed)

    init(
        _ subject: Changes.Subject?,
        _ isConfirmed: Bool,
        _ body: @escaping @Sendable (inout Connection) throws(StoreFailure) -> Result,
        _ tell: @escaping @Sendable (Answer) -> Void
    ) {
        self.subject = subject
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
