import Synchronization
import WireBase
import WireStore

/// The turn of a notification among those that arrived together.
///
/// Each is queued without waiting for those before it, so that one write stores many; from the first one on that may be
/// an update, each waits, since an update takes several writes.
struct ArrivalTurn: Sendable {
    private let group: Group
    private let number: Int

    /// The turns of notifications in their order; none for a single one, which waits for no others.
    static func turns(_ count: Int) -> [Self?] {
        guard count > 1 else { return [nil] }
        let group = Group(count)
        return (0..<count).map { Self(group: group, number: $0) }
    }

    /// Returns when the notification may be queued; `look` finds out whether there was one with its id.
    ///
    /// Throws where one before it could not be stored: it comes again, and newer content must not be stored before it.
    func begin(_ id: String, isKnown look: () async throws(StoreFailure) -> Bool) async throws(StoreFailure) {
        // All look at the same time, and go on in their order.
        var (isKnown, failure): (Bool, StoreFailure?) = (true, nil)
        do throws(StoreFailure) { isKnown = try await look() } catch { failure = error }
        await waitForWrites()
        let mustWait = group.mustWait(id, isKnown)
        if let failure { throw failure }
        guard mustWait else { return }
        await waitForOthers()
        guard !group.hasFailed else {
            throw StoreFailure(.busy, "a notification before it could not be stored")
        }
    }

    /// Queues a write before that of the next notification; returns when the write is made.
    func write<Answer: Sendable>(
        _ write: @escaping @Sendable () async throws(StoreFailure) -> Answer
    ) async throws(StoreFailure) -> Answer {
        let made = await withTaskGroup(of: Result<Answer, StoreFailure>.self) { tasks in
            tasks.addImmediateTask {
                do throws(StoreFailure) { return .success(try await write()) } catch { return .failure(error) }
            }
            group.begun[number].fire()
            return await tasks.next()
        }
        guard let made else { preconditionFailure("a task without a result") }
        return try made.get()
    }

    /// Returns when the writes of those before it are queued.
    private func waitForWrites() async {
        if number > 0 { await group.begun[number - 1].waitIgnoringCancellation() }
    }

    /// Returns when those before it are stored.
    func waitForOthers() async {
        if number > 0 { await group.ends[number - 1].waitIgnoringCancellation() }
    }

    /// Notes that it is stored, or will not be, once those before it are.
    func end(hasFailed: Bool) async {
        if hasFailed { group.fail() }
        await waitForWrites()
        group.begun[number].fire()
        await waitForOthers()
        group.ends[number].fire()
    }

    private final class Group: Sendable {
        private struct State {
            var ids: Set<String> = []
            var hasUpdate = false
            var hasFailed = false
        }

        private let state = Mutex(State())
        /// Fired once a write is queued, or will not be.
        let begun: [OneShot]
        let ends: [OneShot]

        init(_ count: Int) {
            begun = (0..<count).map { _ in OneShot() }
            ends = (0..<count).map { _ in OneShot() }
        }

        var hasFailed: Bool { state.withLock(\.hasFailed) }

        func fail() { state.withLock { $0.hasFailed = true } }

        func mustWait(_ id: String, _ isKnown: Bool) -> Bool {
            state.withLock { state in
                if !state.ids.insert(id).inserted || isKnown { state.hasUpdate = true }
                return state.hasUpdate
            }
        }
    }
}
