package import WireBase

/// Runs work with a timeout.
package struct Deadline: Sendable {
    let limit: Duration
    let clock: TimeSource
    /// Fires to end the work early.
    let end: OneShot?

    package init(limit: Duration, clock: TimeSource, orWhen end: OneShot? = nil) {
        self.limit = limit
        self.clock = clock
        self.end = end
    }

    /// Why the work was not done.
    enum Missed: Error {
        /// The timeout passed.
        case passed(limit: Duration)
        /// The work was cancelled.
        case cancelled
    }

    /// Runs work; at the timeout the work is cancelled and no longer awaited.
    ///
    /// The work is an unstructured task, because a task group would wait for work that ignores its cancellation.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let isOver = OneShot()
        let task = Task {
            defer { isOver.fire() }
            return try await work()
        }
        let isDone = await withTaskCancellationHandler {
            await withTaskGroup(of: Bool.self) { race in
                race.addTask {
                    await isOver.wait()
                    return isOver.hasFired
                }
                race.addTask {
                    try? await clock.sleep(limit)
                    return isOver.hasFired
                }
                if let end {
                    race.addTask {
                        await end.wait()
                        return isOver.hasFired
                    }
                }
                defer { race.cancelAll() }
                return await race.next() ?? false
            }
        } onCancel: {
            task.cancel()
        }
        guard isDone else {
            task.cancel()
            if end?.hasFired ?? false { throw Missed.cancelled }
            throw Missed.passed(limit: limit)
        }
        return try await task.value
    }
}
