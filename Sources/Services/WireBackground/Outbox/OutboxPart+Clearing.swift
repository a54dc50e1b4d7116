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

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        let present = present
        return try await Fault.wrapping { () async throws(StoreFailure) in
            var cleared = try await removeOwn(present, all: scope != .user)
            if scope == .all {
                // Environments that do not run have no worker.
                let others = try await present.store.forget(queues: "outbox/\(present.host.app?.id.text ?? "")/")
                cleared = (cleared.requests + others.items, cleared.outcomes + others.ended)
            }
            dispatcher.wake()
            return [
                Cleared("queued requests", cleared.requests),
                Cleared("outcomes of requests", cleared.outcomes),
            ]
        }
    }

    /// Requests not marked as the device's belong to users; an unreadable request may belong to one.
    private func removeOwn(_ present: Present, all: Bool) async throws(StoreFailure) -> (requests: Int, outcomes: Int) {
        let nothing = WorkPauses(isWhole: false, lanes: [])
        var (count, after): (Int, Int64?) = (0, nil)
        while true {
            let page = try present.store.list(present.queue, lane: nil, after: after, limit: 256)
            for work in page {
                if !all, Waiting(work, nothing).envelope?.request.isOfDevice ?? false { continue }
                if try await present.store.remove(work.id, from: present.queue, leaving: nil) != nil { count += 1 }
            }
            guard let last = page.last else { break }
            after = last.position
        }
        let pauses = try present.store.pauses(of: present.queue)
        // The names of lanes contain their owners.
        for lane in pauses.lanes { _ = try await present.store.setPause(false, of: lane, in: present.queue) }
        if all, pauses.isWhole { _ = try await present.store.setPause(false, of: nil, in: present.queue) }
        return (count, try await present.store.forgetEnded(of: present.queue))
    }
}
