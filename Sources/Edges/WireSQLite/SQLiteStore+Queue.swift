import WireBase
package import WireStore

extension SQLiteStore: WorkQueue {
    package func add(_ item: NewWork, to queue: String, within quota: QueueQuota) async throws(StoreFailure)
        -> AddedWork
    {
        try limits.check(name: queue, "queue")
        try limits.check(key: item.id, "id")
        try limits.check(key: item.lane, "lane")
        try limits.check(size: item.metadata.count + item.payload.count, "payload")
        let bytes = WorkQueueTable.Sealed(
            head: item.isSealed && !item.metadata.isEmpty
                ? try sealer.seal(item.metadata, for: SealedPart.head.place(of: item.id, in: queue)) : item.metadata,
            payload: item.isSealed
                ? try sealer.seal(item.payload, for: SealedPart.work.place(of: item.id, in: queue)) : item.payload,
            sum: item.isSealed ? nil : WorkQueueTable.sum(of: item.id, in: queue, item.metadata, item.payload)
        )
        let queueTable = work(in: queue)
        return try await state.writer.write(of: .queue(queue)) { connection throws(StoreFailure) in
            try queueTable.add(item, bytes, within: quota, to: &connection)
        }
    }

    package func complete(_ endings: [WorkEnding], claiming claimRequest: ClaimRequest?, in queue: String)
        async throws(StoreFailure) -> CompletionResult
    {
        let queueTable = work(in: queue)
        let isConfirmed = !endings.isEmpty || claimRequest?.isDurable ?? true
        return try await state.writer.write(of: .queue(queue), isConfirmed: isConfirmed) {
            connection throws(StoreFailure) in
            var isOwned: [Bool] = []
            for ending in endings { isOwned.append(try queueTable.end(ending, in: &connection)) }
            let claims: [ClaimedWork]
            do throws(StoreFailure) {
                claims =
                    try claimRequest.map { claimRequest throws(StoreFailure) in
                        try queueTable.claim(claimRequest, from: &connection)
                    } ?? []
            } catch  where error.kind == .sealed && !endings.isEmpty {
                // The endings are kept even if the claim fails; a call that only claims gets the error.
                claims = []
            }
            return CompletionResult(isOwned: isOwned, claims: claims)
        }
    }

    package func extend(_ claims: [ClaimedWork], by lease: Duration) async throws(StoreFailure) -> [Bool] {
        let queueTables = claims.map { work(in: $0.queue) }
        // After a power cut no worker is left to hold the claims.
        let queues = Set(claims.map(\.queue))
        let subject = queues.count == 1 ? queues.first.map { Changes.Subject.queue($0) } : nil
        return try await state.writer.write(of: subject, isConfirmed: false) { connection throws(StoreFailure) in
            var isOwned: [Bool] = []
            for (claim, queueTable) in zip(claims, queueTables) {
                isOwned.append(try queueTable.extend(claim, by: lease, in: &connection))
            }
            return isOwned
        }
    }

    package func remove(_ id: String, from queue: String, leaving outcome: WorkOutcome?)
        async throws(StoreFailure) -> RemovedWork?
    {
        let queueTable = work(in: queue)
        return try await state.writer.write(of: .queue(queue)) { connection throws(StoreFailure) in
            try queueTable.remove(id, leaving: outcome, from: &connection)
        }
    }

    package func expedite(_ which: WorkExpediting, in queue: String) async throws(StoreFailure) -> Int {
        let queueTable = work(in: queue)
        return try await state.writer.write(of: .queue(queue)) { connection throws(StoreFailure) in
            try queueTable.expedite(which, in: &connection)
        }
    }

    package func move(_ id: String, to lane: String, in queue: String) async throws(StoreFailure) -> MovedWork? {
        try limits.check(key: lane, "lane")
        let queueTable = work(in: queue)
        return try await state.writer.write(of: .queue(queue)) { connection throws(StoreFailure) in
            try queueTable.move(id, to: lane, in: &connection)
        }
    }

    package func setPause(_ isPaused: Bool, of lane: String?, in queue: String) async throws(StoreFailure) -> Bool {
        try limits.check(name: queue, "queue")
        if let lane { try limits.check(key: lane, "lane") }
        let queueTable = work(in: queue)
        return try await state.writer.write(of: .queue(queue)) { connection throws(StoreFailure) in
            try queueTable.setPause(isPaused, of: lane ?? "", in: &connection)
        }
    }

    package func hold(_ isHeld: Bool, queue: String) async throws(StoreFailure) {
        try limits.check(name: queue, "queue")
        let queueTable = work(in: queue)
        try await state.writer.write(of: .queue(queue)) { connection throws(StoreFailure) in
            try queueTable.hold(isHeld, in: &connection)
        }
    }

    package func waitUntilUnclaimed(_ queue: String) async throws(StoreFailure) {
        try await changes.wait(for: .queue(queue)) { () throws(StoreFailure) -> Changes.Lookup<Void> in
            let uptime = clock.uptime()
            let last = try state.read { connection throws(StoreFailure) in
                var row = try connection.statement(
                    """
                    SELECT ready FROM work WHERE queue = ?1 AND is_first AND ready > ?2 AND owner IS NOT NULL
                    ORDER BY ready DESC LIMIT 1
                    """
                )
                row.bind(queue)
                row.bind(uptime)
                return try row.number()
            }
            guard let last else { return .found(()) }
            return .nothing(again: .milliseconds(last - uptime))
        }
    }

    package func nextDue(in queue: String, kinds: Set<String>?) throws(StoreFailure) -> Duration? {
        let uptime = clock.uptime()
        return try state.read { connection throws(StoreFailure) in
            var holds = try connection.statement("SELECT max(until) FROM holds WHERE queue = ?")
            holds.bind(queue)
            // Nothing wakes a waiter where the process that holds the queue has ended.
            let held = try holds.optionalNumber() ?? 0
            var row = try connection.statement(
                """
                SELECT ready, kind FROM work
                WHERE queue = ?1 AND is_first
                    AND NOT EXISTS(SELECT 1 FROM pauses WHERE pauses.queue = ?1 AND pauses.lane IN ('', work.lane))
                ORDER BY ready
                """
            )
            row.bind(queue)
            while try row.step() {
                guard kinds?.contains(row.text(1)) ?? true else { continue }
                return .milliseconds(max(0, max(row.integer(0), held) - uptime))
            }
            return nil
        }
    }

    package func waitUntilDue(in queue: String, kinds: Set<String>?) async throws(StoreFailure) {
        try await changes.wait(for: .queue(queue)) { () throws(StoreFailure) -> Changes.Lookup<Void> in
            let pause = try nextDue(in: queue, kinds: kinds)
            return pause == .zero ? .found(()) : .nothing(again: pause)
        }
    }

    private func work(in queue: String) -> WorkQueueTable {
        WorkQueueTable(queue: queue, clock: clock, limits: limits, sealer: sealer, owner: owner)
    }
}
