import WireBase
import WireConfig
import WireService
import WireStore
import WireWorkContract

/// Lets go of requests, of what became of others, and of pauses.
extension OutboxPart {
    func pause(_ scope: ClearingScope) async { await gate.close() }

    func resume() async {
        gate.open()
        drainage.wake()
    }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        let present = present
        return try await Fault.wrapping { () async throws(StoreFailure) in
            var cleared = try await removeOwn(present, all: scope != .user)
            if scope == .all {
                // Of environments that do not run nobody is at work.
                let others = try await present.store.forget(queues: "outbox/\(present.host.app?.id.text ?? "")/")
                cleared = (cleared.requests + others.items, cleared.outcomes + others.ended)
            }
            drainage.wake()
            return [
                Cleared("requests that waited", cleared.requests),
                Cleared("outcomes of requests", cleared.outcomes),
            ]
        }
    }

    /// Of people is what is not said to be the device's; what cannot be read may be anybody's.
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
        // Lanes are called by whose they are.
        for lane in pauses.lanes { _ = try await present.store.setPause(false, of: lane, in: present.queue) }
        if all, pauses.isWhole { _ = try await present.store.setPause(false, of: nil, in: present.queue) }
        return (count, try await present.store.forgetEnded(of: present.queue))
    }
}
