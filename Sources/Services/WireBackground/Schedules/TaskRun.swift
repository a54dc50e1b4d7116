import Synchronization
import WireBase
import WireWorkContract

/// A run that is under way here: how it is to end, once somebody has decided that.
final class TaskRun: Sendable {
    /// Why it is ended before it is done.
    enum Ending: Sendable {
        case timedOut
        /// What it needs is gone.
        case missing(ScheduledTask.Constraints)
        /// Somebody does not want it any more, or wants it anew.
        case cancelled
        /// The service ends.
        case leaving
        /// Another process may run it now: what comes of it here is nobody's.
        case lost
    }

    let task: KnownTask
    let started: Int64
    /// The wish it fulfils.
    let wish: Int?
    let isForced: Bool
    private let ending = Mutex<(reason: Ending?, isDone: Bool)>((nil, false))
    private let ended = OneShot()

    init(_ task: KnownTask, started: Int64, wish: TaskRecord.Wish?) {
        (self.task, self.started) = (task, started)
        (self.wish, isForced) = (wish?.number, wish?.isForced ?? false)
    }

    /// The first reason is the one; work that is done by then has ended by itself.
    func end(_ reason: Ending) {
        ending.withLock { ending in
            guard !ending.isDone else { return }
            ending.reason = ending.reason ?? reason
        }
        ended.fire()
    }

    var reason: Ending? { ending.withLock(\.reason) }

    /// Does the work; returns what it threw once it has really ended, however long that takes after it was to end.
    func perform() async -> (any Error)? {
        guard let work = task.work else { return nil }
        return await withTaskGroup(of: (isWork: Bool, error: (any Error)?).self) { group in
            group.addTask {
                defer { self.ending.withLock { $0.isDone = true } }
                do {
                    try await work()
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
