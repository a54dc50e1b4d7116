import WireBase
import WireConfig
import WireService
import WireStore
import WireWorkContract

/// Removes queued requests, outcomes and pauses.
extension OutboxPart {
    func pause(_ scope: ClearingScope) async {
        await barrier.close(holding: present.queues.map { ($0.work, $0.name) })
    }

    func resume() async {
        await barrier.open(releasing: present.queues.map { ($0.work, $0.name) })
        wake()
    }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let present = present
        var (items, ended) = (0, 0)
        for queue in present.queues {
            let eraser = queue.eraser(eraser)
            await eraser.attempt { () async throws(StoreFailure) in
                // Environments that do not run have no worker.
                let cleared =
                    scope == .all
                    ? try await eraser.forget(queues: "\(SharedData.outbox.root)/\(present.host.app?.id.text ?? "")/")
                    : try await removeOwn(queue, all: scope == .environment, with: eraser)
                (items, ended) = (items + cleared.items, ended + cleared.ended)
            }
        }
        if !eraser.isDryRun { wake() }
        return [Cleared("queued requests", items), Cleared("results of requests", ended)]
    }

    /// Requests not marked as the device's belong to users; an unreadable request may belong to one.
    private func removeOwn(_ queue: OutboxQueue, all: Bool, with eraser: Eraser) async throws(StoreFailure)
        -> ForgottenWork
    {
        let nothing = WorkPauses(isWhole: false, lanes: [])
        var (count, after): (Int, Int64?) = (0, nil)
        while true {
            let page = try await queue.list(after: after, limit: 256)
            for work in page {
                if !all, Waiting(work, nothing).envelope?.request.isOfDevice ?? false { continue }
                if try await eraser.remove(work, from: queue.name) { count += 1 }
            }
            guard let last = page.last else { break }
            after = last.position
        }
        if !eraser.isDryRun { try await removePauses(queue, all: all) }
        return ForgottenWork(items: count, ended: try await eraser.forgetEnded(of: queue.name))
    }

    private func removePauses(_ queue: OutboxQueue, all: Bool) async throws(StoreFailure) {
        let pauses = try await queue.pauses()
        // The names of lanes contain their owners.
        for lane in pauses.lanes { _ = try await queue.work.setPause(false, of: lane, in: queue.name) }
        if all, pauses.isWhole { _ = try await queue.work.setPause(false, of: nil, in: queue.name) }
    }
}
