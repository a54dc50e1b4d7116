import WireBase
import WireConfig
import WireService
import WireStore
import WireWorkContract

/// Removes queued requests, outcomes and pauses.
extension OutboxPart {
    func pause(_ scope: ClearingScope) async { await barrier.close() }

    func resume() async {
        barrier.open()
        dispatcher.wake()
    }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let (present, eraser) = (present, eraser.of(.outbox))
        return try await Fault.wrapping { () async throws(StoreFailure) in
            // Environments that do not run have no worker.
            let cleared =
                scope == .all
                ? try await eraser.forget(queues: "outbox/\(present.host.app?.id.text ?? "")/")
                : try await removeOwn(present, all: scope == .environment, with: eraser)
            if !eraser.isDryRun { dispatcher.wake() }
            return [Cleared("queued requests", cleared.items), Cleared("results of requests", cleared.ended)]
        }
    }

    /// Requests not marked as the device's belong to users; an unreadable request may belong to one.
    private func removeOwn(_ present: Present, all: Bool, with eraser: Eraser) async throws(StoreFailure)
        -> ForgottenWork
    {
        let nothing = WorkPauses(isWhole: false, lanes: [])
        var (count, after): (Int, Int64?) = (0, nil)
        while true {
            let page = try await present.store.list(present.queue, lane: nil, after: after, limit: 256)
            for work in page {
                if !all, Waiting(work, nothing).envelope?.request.isOfDevice ?? false { continue }
                if try await eraser.remove(work, from: present.queue) { count += 1 }
            }
            guard let last = page.last else { break }
            after = last.position
        }
        if !eraser.isDryRun { try await removePauses(present, all: all) }
        return ForgottenWork(items: count, ended: try await eraser.forgetEnded(of: present.queue))
    }

    private func removePauses(_ present: Present, all: Bool) async throws(StoreFailure) {
        let pauses = try await present.store.pauses(of: present.queue)
        // The names of lanes contain their owners.
        for lane in pauses.lanes { _ = try await present.store.setPause(false, of: lane, in: present.queue) }
        if all, pauses.isWhole { _ = try await present.store.setPause(false, of: nil, in: present.queue) }
    }
}
