package import WireBase

/// Work that may take so long and no longer.
package struct Deadline: Sendable {
    let limit: Duration
    let clock: Clockwork
    /// What ends it before its time.
    let end: OneShot?

    package init(limit: Duration, clock: Clockwork, orWhen end: OneShot? = nil) {
        self.limit = limit
        self.clock = clock
        self.end = end
    }

    /// The time was up before the work was done.
    struct Passed: Error {
        let limit: Duration
    }

    /// The work was cancelled.
    struct GivenUp: Error {}

    /// Runs work; when the time is up it is cancelled, and no longer waited for.
    ///
    /// The work is a task of its own, because a group would wait for it to the end, and work that heeds no cancellation
    /// is exactly what a deadline is for.
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
            if end?.hasFired ?? false { throw GivenUp() }
            throw Passed(limit: limit)
        }
        return try await task.value
    }
}
