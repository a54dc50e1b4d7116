import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Operations on requests, for the local API and for code in the same process.
extension OutboxPart {
    /// A queued request as callers see it.
    struct Waiting: Sendable {
        let work: WaitingWork
        /// Nil for a request that cannot be read: sealed with another key, or damaged.
        let envelope: OutboxEnvelope?
        let isPaused: Bool

        init(_ work: WaitingWork, _ pauses: WorkPauses, body: [UInt8] = []) {
            self.work = work
            envelope = work.metadata.flatMap {
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

    func list(lane: String?, after: Int64?, limit: Int) async throws(StoreFailure) -> Page {
        let present = present
        let pauses = try await present.store.pauses(of: present.queue)
        let found = try await present.store.list(present.queue, lane: lane, after: after, limit: limit + 1)
        return Page(
            usage: try await present.store.usage(ofQueue: present.queue),
            pauses: pauses,
            requests: found.prefix(limit).map { Waiting($0, pauses) },
            next: found.count > limit ? found[limit - 1].position : nil
        )
    }

    enum Found: Sendable {
        case waiting(Waiting)
        case ended(OutboxOutcome, at: Int64)
    }

    /// Finds a request; nil where the id is unknown.
    func find(_ id: String) async throws(StoreFailure) -> Found? {
        let present = present
        // In this order, a request that ends in between is found as an outcome.
        if let (work, body) = try await present.store.find(id, in: present.queue) {
            return .waiting(Waiting(work, try await present.store.pauses(of: present.queue), body: body))
        }
        guard let ended = try await present.store.outcome(of: id, in: present.queue) else { return nil }
        let outcome =
            OutboxOutcome(note: ended.payload)
            ?? OutboxOutcome(.dropped, nil, lane: "", service: "", attempts: 0, posted: ended.ended)
        return .ended(outcome, at: ended.ended)
    }

    /// Removes a queued request, which then never arrives; false where there is none with this id.
    func cancel(_ id: String) async throws(StoreFailure) -> Bool {
        let present = present
        guard let (work, _) = try await present.store.find(id, in: present.queue) else { return false }
        return try await remove(work, because: "a caller has removed the request", present)
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
        dispatcher.wake()
        return true
    }

    /// Tries a request now; false where none with this id is queued.
    func retry(_ id: String) async throws(StoreFailure) -> Bool {
        let present = present
        guard try await present.store.find(id, in: present.queue) != nil else { return false }
        _ = try await present.store.expedite(.item(id), in: present.queue)
        dispatcher.wake()
        return true
    }

    /// Moves a request to the end of another lane; nil where none with this id is queued.
    func move(_ id: String, to lane: String) async throws(StoreFailure) -> MovedWork? {
        let present = present
        let moved = try await present.store.move(id, to: lane, in: present.queue)
        if case .moved(let former?) = moved {
            telemetry.moved(id, from: former, to: lane)
            dispatcher.wake()
        }
        return moved
    }

    func setPause(_ isPaused: Bool, of lane: String?) async throws(StoreFailure) -> WorkPauses {
        let present = present
        if try await present.store.setPause(isPaused, of: lane, in: present.queue) {
            telemetry.setPause(isPaused, of: lane)
        }
        dispatcher.wake()
        return try await present.store.pauses(of: present.queue)
    }

    /// Removes requests that have reached their maximum age.
    func dropAged() async {
        let present = present
        var after: Int64?
        do throws(StoreFailure) {
            while true {
                let page = try await present.store.list(present.queue, lane: nil, after: after, limit: 256)
                for work in page where !work.isClaimed {
                    let own = Waiting(work, WorkPauses(isWhole: false, lanes: [])).envelope?.request.maxAge
                    guard let maxAge = own ?? present.settings.queue.maxAge, work.age >= maxAge else { continue }
                    let reason = "the request has reached its maximum age of \(maxAge.literal.plainText)"
                    _ = try await remove(work, because: reason, present)
                }
                guard page.count == 256, !Task.isCancelled else { return }
                after = page.last?.position
            }
        } catch {
            telemetry.record(error)
        }
    }
}
