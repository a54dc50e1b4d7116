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
        /// Why the requests of one of the queues are missing; nil where all can be read.
        let missing: StoreFailure?
    }

    // MARK: Queues

    /// Asks the queues, that of this machine first, until one answers: a store that fails hides no requests of another.
    private func first<Answer>(
        _ ask: (OutboxQueue) async throws(StoreFailure) -> Answer?
    ) async throws(StoreFailure) -> Answer? {
        var failure: StoreFailure?
        for queue in present.queues.reversed() {
            do throws(StoreFailure) {
                if let answer = try await ask(queue) { return answer }
            } catch {
                telemetry.record(error, of: queue)
                failure = error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// Changes each queue, also where the store of another one fails.
    private func each(_ change: (OutboxQueue) async throws(StoreFailure) -> Void) async throws(StoreFailure) {
        _ = try await first { queue async throws(StoreFailure) -> Void? in
            try await change(queue)
            return nil
        }
    }

    // MARK: Operations

    /// A page of the queues, one after the other.
    ///
    /// A place between pages names the queue and the position in it in one number.
    func list(lane: String?, after: Int64?, limit: Int) async throws(StoreFailure) -> Page {
        let queues = present.queues
        let count = Int64(queues.count)
        var (requests, next): ([Waiting], Int64?) = ([], nil)
        var (usages, pauses, missing): ([WorkUsage], [WorkPauses], StoreFailure?) = ([], [], nil)
        let first = after.map { Int($0 % count) } ?? 0
        for (number, queue) in queues.enumerated() {
            do throws(StoreFailure) {
                let (usage, paused) = (try await queue.usage(), try await queue.pauses())
                let left = limit - requests.count
                if number >= first, next == nil {
                    let position = number == first ? after.map { $0 / count } : nil
                    let found = try await queue.list(lane: lane, after: position, limit: left + 1)
                    requests += found.prefix(left).map { Waiting($0, paused) }
                    if found.count > left {
                        next = (left > 0 ? found[left - 1].position : 0) * count + Int64(number)
                    }
                }
                usages.append(usage)
                pauses.append(paused)
            } catch {
                telemetry.record(error, of: queue)
                missing = error
            }
        }
        if usages.isEmpty, let missing { throw missing }
        return Page(usage: usages.total, pauses: pauses.united, requests: requests, next: next, missing: missing)
    }

    enum Found: Sendable {
        case waiting(Waiting)
        case ended(OutboxOutcome, at: Int64)
    }

    /// Finds a request; nil where the id is unknown.
    func find(_ id: String) async throws(StoreFailure) -> Found? {
        try await first { queue async throws(StoreFailure) -> Found? in
            // In this order, a request that ends in between is found as an outcome.
            if let (work, body) = try await queue.work.find(id, in: queue.name) {
                return .waiting(Waiting(work, try await queue.pauses(), body: body))
            }
            guard let ended = try await queue.work.outcome(of: id, in: queue.name) else { return nil }
            let outcome =
                OutboxOutcome(note: ended.payload)
                ?? OutboxOutcome(.dropped, nil, lane: "", service: "", attempts: 0, posted: ended.ended)
            return .ended(outcome, at: ended.ended)
        }
    }

    /// Removes a queued request, which then never arrives; false where there is none with this id.
    func cancel(_ id: String) async throws(StoreFailure) -> Bool {
        try await first { queue async throws(StoreFailure) -> Bool? in
            guard let (work, _) = try await queue.work.find(id, in: queue.name) else { return nil }
            return try await remove(work, from: queue, because: "a caller has removed the request")
        } ?? false
    }

    private func remove(_ work: WaitingWork, from queue: OutboxQueue, because reason: String)
        async throws(StoreFailure) -> Bool
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
        guard let removed = try await queue.work.remove(work.id, from: queue.name, leaving: left) else { return false }
        await drop(removed, because: reason)
        wake()
        return true
    }

    /// Tries a request now; false where none with this id is queued.
    func retry(_ id: String) async throws(StoreFailure) -> Bool {
        try await first { queue async throws(StoreFailure) -> Bool? in
            guard try await queue.work.find(id, in: queue.name) != nil else { return nil }
            _ = try await queue.expedite(.item(id))
            wake()
            return true
        } ?? false
    }

    /// Tries all requests now that wait for no user; returns their number.
    func retryAll() async throws(StoreFailure) -> Int {
        defer { wake() }
        var count = 0
        try await each { queue async throws(StoreFailure) in
            count += try await queue.expedite(.all(butAwaiting: OutboxRetryPolicy.Awaited.user))
        }
        return count
    }

    /// Moves a request to the end of another lane; nil where none with this id is queued.
    func move(_ id: String, to lane: String) async throws(StoreFailure) -> MovedWork? {
        try await first { queue async throws(StoreFailure) -> MovedWork? in
            guard let moved = try await queue.work.move(id, to: lane, in: queue.name) else { return nil }
            if case .moved(let former?) = moved {
                telemetry.moved(id, from: former, to: lane)
                wake()
            }
            return moved
        }
    }

    func setPause(_ isPaused: Bool, of lane: String?) async throws(StoreFailure) -> WorkPauses {
        var (isChanged, pauses): (Bool, [WorkPauses]) = (false, [])
        defer {
            if isChanged { telemetry.setPause(isPaused, of: lane) }
            wake()
        }
        try await each { queue async throws(StoreFailure) in
            if try await queue.work.setPause(isPaused, of: lane, in: queue.name) { isChanged = true }
            pauses.append(try await queue.pauses())
        }
        return pauses.united
    }

    /// Removes the requests of a queue that have reached their maximum age.
    func dropAged(_ queue: OutboxQueue) async {
        let present = present
        var after: Int64?
        do throws(StoreFailure) {
            while true {
                let page = try await queue.list(after: after, limit: 256)
                for work in page where !work.isClaimed {
                    let own = Waiting(work, WorkPauses(isWhole: false, lanes: [])).envelope?.request.maxAge
                    guard let maxAge = own ?? present.settings.queue.maxAge, work.age >= maxAge else { continue }
                    let reason = "the request has reached its maximum age of \(maxAge.literal.plainText)"
                    _ = try await remove(work, from: queue, because: reason)
                }
                guard page.count == 256, !Task.isCancelled else { return }
                after = page.last?.position
            }
        } catch {
            telemetry.record(error, of: queue)
        }
    }
}
