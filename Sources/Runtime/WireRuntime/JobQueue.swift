/// Runs background work in one task group.
final class JobQueue: Sendable {
    private let stream: AsyncStream<@Sendable () async -> Void>
    private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func add(_ job: @escaping @Sendable () async -> Void) {
        continuation.yield(job)
    }

    /// Accepts no more work, and cancels current work.
    func finish() {
        continuation.finish()
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            for await job in stream { group.addTask { await job() } }
            group.cancelAll()
        }
    }
}
