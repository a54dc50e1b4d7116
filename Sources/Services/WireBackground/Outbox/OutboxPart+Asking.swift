import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// What can be asked of the outbox: by the local API, and by code in the same process.
extension OutboxPart {
    /// What is told of a request that waits.
    struct Waiting: Sendable {
        let work: WaitingWork
        /// Nil for one that cannot be read here: sealed with another key, or damaged.
        let envelope: OutboxEnvelope?
        let isPaused: Bool

        init(_ work: WaitingWork, _ pauses: WorkPauses, body: [UInt8] = []) {
            self.work = work
            envelope = work.head.flatMap {
                try? OutboxEnvelope(head: $0, body: body, lane: work.lane, service: work.kind)
            }
            isPaused = pauses.isWhole || pauses.lanes.contains(work.lane)
        }
    }

    struct Page: Sendable {
        let usage: WorkUsage
        let pauses: WorkPauses
        let requests: [Waiting]
        let next: Int64?
    }

    func list(lane: String?, after: Int64?, limit: Int) throws(StoreFailure) -> Page {
        let present = present
        let pauses = try present.store.pauses(of: present.queue)
        let found = try present.store.list(present.queue, lane: lane, after: after, limit: limit + 1)
        return Page(
            usage: try present.store.usage(ofQueue: present.queue),
            pauses: pauses,
            requests: found.prefix(limit).map { Waiting($0, pauses) },
            next: found.count > limit ? found[limit - 1].position : nil
        )
    }

    enum Found: Sendable {
        case waiting(Waiting)
        case ended(OutboxOutcome, at: Int64)
    }

    /// How it is with a request; nil where nothing is known of it.
    func look(_ id: String) throws(StoreFailure) -> Found? {
        let present = present
        // In this order: what ends in between is found where it has gone.
        if let (work, body) = try present.store.find(id, in: present.queue) {
            return .waiting(Waiting(work, try present.store.pauses(of: present.queue), body: body))
        }
        guard let ended = try present.store.outcome(of: id, in: present.queue) else { return nil }
        let outcome =
            OutboxOutcome(note: ended.note)
            ?? OutboxOutcome(.dropped, nil, lane: "", service: "", attempts: 0, posted: ended.ended)
        return .ended(outcome, at: ended.ended)
    }

    /// Lets a request go that will then never arrive; false where none waits by this id.
    func letGo(_ id: String) async throws(StoreFailure) -> Bool {
        let present = present
        guard let (work, _) = try present.store.find(id, in: present.queue) else { return false }
        return try await remove(work, because: "somebody has dropped it", present)
    }

    private func remove(_ work: WaitingWork, because reason: String, _ present: Present) async throws(StoreFailure)
        -> Bool
    {
        let envelope = Waiting(work, WorkPauses(isWhole: false, lanes: [])).envelope
        var outcome = OutboxOutcome(
            .dropped,
            envelope,
            lane: work.lane,
            service: work.kind,
            attempts: work.attempts,
            posted: work.added
        )
        outcome.reason = reason
        let left = WorkOutcome(outcome.bytes, kept: present.settings.queue.remember)
        guard let removed = try await present.store.remove(work.id, from: present.queue, leaving: left) else {
            return false
        }
        await drop(removed, because: reason)
        drainage.wake()
        return true
    }

    /// Tries a request now; false where none waits by this id.
    func retry(_ id: String) async throws(StoreFailure) -> Bool {
        let present = present
        guard try present.store.find(id, in: present.queue) != nil else { return false }
        _ = try await present.store.hasten(.item(id), in: present.queue)
        drainage.wake()
        return true
    }

    /// Moves a request to the end of another lane; nil where none waits by this id.
    func move(_ id: String, to lane: String) async throws(StoreFailure) -> MovedWork? {
        let present = present
        let moved = try await present.store.move(id, to: lane, in: present.queue)
        if case .moved(let former?) = moved {
            ledger.moved(id, from: former, to: lane)
            drainage.wake()
        }
        return moved
    }

    func setPause(_ isPaused: Bool, of lane: String?) async throws(StoreFailure) -> WorkPauses {
        let present = present
        if try await present.store.setPause(isPaused, of: lane, in: present.queue) {
            ledger.setPause(isPaused, of: lane)
        }
        drainage.wake()
        return try present.store.pauses(of: present.queue)
    }

    /// Lets go of what has waited for longer than it may, whatever it waits for.
    func dropAged() async {
        let present = present
        var after: Int64?
        do throws(StoreFailure) {
            while true {
                let page = try present.store.list(present.queue, lane: nil, after: after, limit: 256)
                for work in page where !work.isClaimed {
                    let own = Waiting(work, WorkPauses(isWhole: false, lanes: [])).envelope?.request.maxAge
                    guard let maxAge = own ?? present.settings.queue.maxAge, work.age >= maxAge else { continue }
                    let reason = "it has waited for longer than the \(maxAge.literal.plainText) it may"
                    _ = try await remove(work, because: reason, present)
                }
                guard page.count == 256, !Task.isCancelled else { return }
                after = page.last?.position
            }
        } catch {
            ledger.note(error)
        }
    }
}
