import Synchronization
import WireBase
import WireWorkContract

/// A run in progress, with the reason to end it.
final class TaskRun: Sendable {
    /// Why a run is ended before it is done.
    enum Ending: Sendable {
        case timedOut
        /// A constraint does not hold any more.
        case missing(ScheduledTask.Constraints)
        /// The run was cancelled or requested again.
        case cancelled
        /// The service is shutting down.
        case leaving
        /// The claim is lost: another process may run the task now.
        case lost
    }

    let task: KnownTask
    /// The number of the run among all of the task.
    let number: Int
    /// The occurrence of the task, which a repeated run has in common with the former one.
    let occurrence: String
    let started: Int64
    /// The number of the request that the run serves.
    let requestedRun: Int?
    let isForced: Bool
    private let ending = Mutex<(reason: Ending?, isDone: Bool)>((nil, false))
    private let ended = OneShot()

    /// A run that a record says has begun.
    init(_ task: KnownTask, _ record: TaskRecord, started: Int64, requestedRun: TaskRecord.RequestedRun?) {
        (self.task, number, self.started) = (task, record.runs, started)
        occurrence =
            requestedRun.map { "request-\($0.asked)-\($0.number)" } ?? record.occurrence ?? "\(record.anchor)"
        (self.requestedRun, isForced) = (requestedRun?.number, requestedRun?.isForced ?? false)
    }

    /// Ends the run; the first reason counts.
    func end(_ reason: Ending) {
        ending.withLock { ending in
            guard !ending.isDone else { return }
            ending.reason = ending.reason ?? reason
        }
        ended.fire()
    }

    var reason: Ending? { ending.withLock(\.reason) }

    /// Does the work; returns its error once the work has really ended, however long after the request to end.
    func perform() async -> (any Error)? {
        guard let work = task.work else { return nil }
        return await withTaskGroup(of: (isWork: Bool, error: (any Error)?).self) { group in
            group.addTask {
                defer { self.ending.withLock { $0.isDone = true } }
                do {
                    try await work(self.occurrence)
                    return (true, nil)
                } catch {
                    return (true, error)
                }
            }
            group.addTask {
                await self.ended.wait()
                return (false, nil)
            }
            while let end = await group.next() {
                guard end.isWork else {
                    group.cancelAll()
                    continue
                }
                group.cancelAll()
                return end.error
            }
            return nil
        }
    }
}
