import Synchronization
import WireBase
import WireStore

/// Ends claims and makes the next ones for the workers of a queue: those that come while a write is under way share the
/// next write.
final class OutboxTurns: Sendable {
    /// What has become of a claim that ended, and the next one.
    struct Outcome: Sendable {
        let isOwned: Bool
        let next: HeldClaim?
    }

    private struct Turn: Sendable {
        let ending: WorkEnding
        let takesMore: @Sendable () -> Bool
        let queue: any WorkQueue
        let clock: TimeSource
        let ended: CheckedContinuation<Result<Outcome, StoreFailure>, Never>
    }

    private struct State {
        var waiting: [Turn] = []
        var isWriting = false
    }

    private let lease: Duration
    private let state = Mutex(State())

    init(lease: Duration) { self.lease = lease }

    /// Stores how a claim ends, and claims one more item if that is wanted when the write begins; not cancelled with the
    /// task.
    func take(
        _ ending: WorkEnding,
        takesMore: @escaping @Sendable () -> Bool,
        in queue: any WorkQueue,
        _ clock: TimeSource
    ) async throws(StoreFailure) -> Outcome {
        let result = await withCheckedContinuation { ended in
            let turn = Turn(ending: ending, takesMore: takesMore, queue: queue, clock: clock, ended: ended)
            let isFirst = state.withLock { state in
                state.waiting.append(turn)
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if isFirst { Task { await write() } }
        }
        return try result.get()
    }

    private func write() async {
        while true {
            let turns = state.withLock { state in
                // After a change of the file, the queue may be another one.
                let name = state.waiting.first?.ending.claim.queue
                let turns = state.waiting.filter { $0.ending.claim.queue == name }
                state.waiting.removeAll { $0.ending.claim.queue == name }
                state.isWriting = !turns.isEmpty
                return turns
            }
            guard let first = turns.first else { return }
            await write(turns, first)
        }
    }

    private func write(_ turns: [Turn], _ first: Turn) async {
        let wishes = turns.map { $0.takesMore() }
        let wanted = wishes.count { $0 }
        let began = first.clock.uptime()
        do throws(StoreFailure) {
            let written = try await first.queue.complete(
                turns.map(\.ending),
                claiming: wanted > 0 ? ClaimRequest(for: lease, upTo: wanted) : nil,
                in: first.ending.claim.queue
            )
            var claims = written.claims[...]
            for (index, turn) in turns.enumerated() {
                let isOwned = written.isOwned.indices.contains(index) && written.isOwned[index]
                let next = wishes[index] ? claims.popFirst().map { HeldClaim($0, since: began, for: lease) } : nil
                turn.ended.resume(returning: .success(Outcome(isOwned: isOwned, next: next)))
            }
        } catch {
            guard turns.count > 1, !error.isPassing else {
                for turn in turns { turn.ended.resume(returning: .failure(error)) }
                return
            }
            // One of them may be to blame, and must not keep the others.
            for turn in turns { await write([turn], turn) }
        }
    }
}
