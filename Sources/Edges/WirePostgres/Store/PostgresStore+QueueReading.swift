import WireBase
package import WireStore

extension PostgresStore {
    package func list(_ queue: String, lane: String?, after: Int64?, limit: Int) async throws(StoreFailure)
        -> [WaitingWork]
    {
        var found: [WaitingWork] = []
        var isMore = true
        while isMore {
            let (last, left) = (found.last?.position ?? after ?? 0, Int32(clamping: max(0, limit - found.count)))
            let rows = try await read("items_1", [now, .name(queue), .name(lane), .int8(last), .int4(left)])
            var size = 0
            for row in rows {
                found.append(try waiting(row, in: queue))
                size += try storing { () throws(PostgresFailure) in try row.bytes(16).count }
            }
            // The page has ended with its bytes.
            isMore = size >= Self.pageSize && found.count < limit
        }
        return found
    }

    /// The bytes with which the functions end a page.
    private static let pageSize = 4 << 20

    package func find(_ id: String, in queue: String) async throws(StoreFailure)
        -> (item: WaitingWork, payload: [UInt8])?
    {
        guard let row = try await read("item_1", [now, .name(queue), .name(id)]).first else { return nil }
        let (isSealed, payload) = try storing { () throws(PostgresFailure) in (try row.bool(15), try row.bytes(18)) }
        return (try waiting(row, in: queue), try opened(payload, .work, id, in: queue, if: isSealed))
    }

    private func waiting(_ row: PostgresRow, in queue: String) throws(StoreFailure) -> WaitingWork {
        let (id, head, isSealed) = try storing { () throws(PostgresFailure) in
            (try row.name(1), try row.bytes(16), try row.bool(15))
        }
        let metadata = try? opened(head, .head, id, in: queue, if: isSealed && !head.isEmpty)
        let own = writer.member?.runner
        let uptime = clock.uptime()
        return try storing { () throws(PostgresFailure) in
            let position = try row.integer(0)
            // Of its own claims this runner knows better when they end.
            let isOver = try row.optionalInteger(17) == own && !leases.holds(queue, position, at: uptime)
            let isClaimed = try row.bool(10)
            return WaitingWork(
                position: position,
                id: id,
                lane: try row.name(2),
                kind: try row.name(3),
                metadata: metadata,
                attempts: try row.int(4),
                size: try row.int(5),
                added: try row.integer(6),
                due: try row.integer(7),
                age: try row.duration(8),
                wait: max(.zero, try row.duration(9)),
                isClaimed: isClaimed && !isOver,
                isLost: try row.bool(11) || isClaimed && isOver,
                isFirst: try row.bool(12),
                lastReason: try row.optionalName(13),
                awaits: try row.optionalName(14)
            )
        }
    }

    package func outcome(of id: String, in queue: String) async throws(StoreFailure) -> EndedWork? {
        guard let row = try await read("outcome_1", [now, .name(queue), .name(id)]).first else { return nil }
        let (note, name, ended) = try storing { () throws(PostgresFailure) in
            (try row.bytes(0), try row.optionalName(1), try row.integer(2))
        }
        return EndedWork(payload: try opened(note, .note, name ?? id, in: queue, if: !note.isEmpty), ended: ended)
    }

    package func usage(ofQueue queue: String) async throws(StoreFailure) -> WorkUsage {
        let rows = try await read("queue_usage_1", [now, .name(queue)])
        return try storing { () throws(PostgresFailure) in
            guard let row = rows.first else { return WorkUsage(entries: 0, size: .bytes(0), oldest: nil) }
            return WorkUsage(
                entries: try row.int(0),
                size: .bytes(try row.int(1)),
                oldest: try row.optionalInteger(2).map { .milliseconds(max(0, $0)) }
            )
        }
    }

    package func pauses(of queue: String) async throws(StoreFailure) -> WorkPauses {
        let rows = try await read("pauses_1", [.name(queue)])
        let own = writer.member?.runner
        return try storing { () throws(PostgresFailure) in
            var (lanes, isHeld): ([String], Bool) = ([], false)
            for row in rows {
                if let runner = try row.optionalInteger(1) {
                    if runner != own { isHeld = true }
                } else {
                    lanes.append(try row.name(0))
                }
            }
            return WorkPauses(isWhole: lanes.contains(""), lanes: lanes.filter { !$0.isEmpty }, isHeld: isHeld)
        }
    }

    package func waitUntilUnclaimed(_ queue: String) async throws(StoreFailure) {
        try await wait { () async throws(StoreFailure) -> Lookup<Void> in
            let rows = try await read("claims_1", [.name(queue)])
            let count = try storing { () throws(PostgresFailure) in try rows.first?.int(0) ?? 0 }
            return count == 0 ? .found(()) : .nothing(again: Self.longestWait)
        }
    }

    private static func lanes(_ rows: [PostgresRow]) throws(StoreFailure) -> [String] {
        try storing { () throws(PostgresFailure) in
            var lanes: [String] = []
            for row in rows { lanes.append(try row.name(0)) }
            return lanes
        }
    }

    package func counts(ofQueues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        try limits.check(name: prefix, "queue")
        let rows = try await read("counts_1", [.name(prefix)])
        return try storing { () throws(PostgresFailure) in
            ForgottenWork(items: try rows.first?.int(0) ?? 0, ended: try rows.first?.int(1) ?? 0)
        }
    }

    package func endedCount(of queue: String) async throws(StoreFailure) -> Int {
        let rows = try await read("ended_count_1", [.name(queue)])
        return try storing { () throws(PostgresFailure) in try rows.first?.int(0) ?? 0 }
    }

    package func nextDue(in queue: String, kinds: Set<String>?) async throws(StoreFailure) -> Duration? {
        let group = try number()
        let kinds = kinds.map { $0.map { Array($0.utf8) } }
        let results = try await read([
            functions.call(
                "due_1",
                [
                    .int4(group), now, .name(queue), kinds.map { .byteas($0) } ?? .noByteas,
                    .int8s(skipped(in: queue)),
                ]
            ),
            functions.call("pauses_1", [.int4(group), .name(queue)]),
        ])
        let free = try storing { () throws(PostgresFailure) in try results[0].first?.optionalInteger(0) }
        let paused = Set(try Self.lanes(results[1]))
        let kindNames = kinds.map { Set($0.map { String(decoding: $0, as: UTF8.self) }) }
        let own = paused.contains("") ? nil : leases.firstDue(in: queue, kinds: kindNames, besides: paused)
        let waits = [free, own.map { $0 - clock.uptime() }].compactMap { $0 }
        return waits.min().map { .milliseconds(max(0, $0)) }
    }

    package func waitUntilDue(in queue: String, kinds: Set<String>?) async throws(StoreFailure) {
        try await wait { () async throws(StoreFailure) -> Lookup<Void> in
            let pause = try await nextDue(in: queue, kinds: kinds)
            return pause == .zero ? .found(()) : .nothing(again: pause ?? Self.longestWait)
        }
    }
}
