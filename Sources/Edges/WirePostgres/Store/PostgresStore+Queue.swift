import Synchronization
import WireBase
import WireConfig
package import WireStore

extension PostgresStore: WorkQueue {
    package func add(_ item: NewWork, to queue: String, within quota: QueueQuota) async throws(StoreFailure)
        -> AddedWork
    {
        try limits.check(name: queue, "queue")
        try limits.check(key: item.id, "id")
        try limits.check(key: item.lane, "lane")
        try limits.check(size: item.metadata.count + item.payload.count, "payload")
        let weight = Int64(item.id.utf8.count + item.metadata.count + item.payload.count)
        let head = try sealed(item.metadata, .head, item.id, in: queue, if: item.isSealed && !item.metadata.isEmpty)
        let payload = try sealed(item.payload, .work, item.id, in: queue, if: item.isSealed)
        // The ids of removed items are not known here, so their note is bound to that of the added one.
        let note = try note(quota.leaving, item.id, in: queue)
        let kept = quota.leaving.map { $0.kept ?? limits.doneKept }
        let (functions, now, limit) = (functions, now, quota.size(limits).bytes)
        // An item with a lane of its own meets no others, and keeps its place among those that come with it.
        let order = item.lane == item.id ? [] : Array(queue.utf8) + [0] + Array(item.lane.utf8)
        let answer = try await writer.write(.additions, order: order, size: head.count + payload.count) { member, _ in
            functions.call(
                "add_1",
                [
                    .int4(member.group), .int8(member.runner), now, .name(queue), .name(item.id), .name(item.lane),
                    .name(item.kind), .milliseconds(item.delay), .bool(item.isSealed), .bytea(head), .bytea(payload),
                    .integer(quota.entries), .integer(limit), .bool(quota.removesOldest),
                    .bool(quota.replacesFormer), .bool(quota.leaving != nil), .bytea(note),
                    .milliseconds(kept ?? .zero),
                    .int8(weight),
                ]
            )
        }
        switch answer.kind {
        case "known": return AddedWork(isNew: false)
        case "added":
            var removed: [RemovedWork] = []
            for one in answer.items[1].array ?? [] { removed.append(try self.removed(StoreAnswer(one), in: queue)) }
            return AddedWork(isNew: true, removed: removed)
        case "full" where answer.items[1].string == "entries": throw quota.tooMany(in: queue)
        case "full":
            try quota.check(weight, fits: queue, limits)
            throw quota.tooLarge(in: queue, wouldHold: try answer.integer(2), limits)
        default: throw .unexpected("an unknown answer to an addition")
        }
    }

    package func complete(_ endings: [WorkEnding], claiming request: ClaimRequest?, in queue: String)
        async throws(StoreFailure) -> CompletionResult
    {
        var calls: [StoreTurn.Ending] = []
        for ending in endings {
            let end: StoreTurn.Ending.End
            switch ending.end {
            case .done(let outcome):
                let note = try note(outcome, ending.claim.id, in: queue)
                end = .done(note, outcome?.kept ?? limits.doneKept)
            case .later(let delay): end = .later(delay)
            }
            calls.append(StoreTurn.Ending(ending.claim.position, ending.claim.fence, end))
        }
        if request != nil, presence.isSilent {
            guard !calls.isEmpty else { throw .silent }
            return try await turn(calls, of: endings, claiming: nil, in: queue)
        }
        return try await turn(calls, of: endings, claiming: request, in: queue)
    }

    /// Ends claims, also those whose time is over, and makes new ones.
    func turn(
        _ calls: [StoreTurn.Ending],
        of endings: [WorkEnding] = [],
        claiming request: ClaimRequest?,
        in queue: String
    ) async throws(StoreFailure) -> CompletionResult {
        let (owners, leases, clock, presence) = (endings.map(\.claim.owner), leases, clock, presence)
        let (functions, skipped, time) = (functions, skipped(in: queue), serverTime)
        let rows: StoreJob.Statement = { member, number in
            functions.call("claimed_1", [.int4(member.group), .int8(member.runner), .int8(number)])
        }
        // What was sent, in the order of the transactions: an extension before it counts.
        let box = SentTurn.Box()
        let delivered: @Sendable (Membership, StoreAnswer) -> Void = { _, answer in
            let turn = box.value
            for (position, fence) in turn.late { leases.end(queue, position, fence) }
            for call in calls { leases.end(queue, call.position, call.fence) }
            // Also those that cannot be opened, so that they are free in any case.
            if let request { leases.grant(answer.rows, in: queue, until: turn.uptime + request.lease.milliseconds) }
        }
        let answer = try await writer.write(.alone, rows: request == nil ? nil : rows, delivered: delivered) {
            member,
            number in
            let uptime = clock.uptime()
            let late = leases.over(in: queue, at: uptime)
            box.value = SentTurn(uptime: uptime, late: late, lost: presence.silenced)
            // Late claims first: an ending of one of them comes too late.
            var all = late.map { StoreTurn.Ending($0.position, $0.fence, .late) }
            for (index, call) in calls.enumerated() {
                let isOurs = index >= owners.count || owners[index] == member.runner
                all.append(isOurs ? call : StoreTurn.Ending(call.position, 0, call.end))
            }
            return StoreTurn(Array(queue.utf8), all, claiming: request, skipping: skipped)
                .statement(functions, member, number, at: time?())
        }
        let turn = box.value
        var isOwned: [Bool] = []
        for flag in answer.items.first?.array?.dropFirst(turn.late.count) ?? [] {
            isOwned.append(flag.boolean ?? false)
        }
        guard let request, let member = writer.member else { return CompletionResult(isOwned: isOwned, claims: []) }
        var (claims, returned, failure) = try claims(answer.rows, in: queue, member, turn.lost)
        // Others have a claim whose answer has taken longer than its lease.
        if turn.uptime + request.lease.milliseconds <= clock.uptime() {
            returned += claims.map { StoreTurn.Ending($0.position, $0.fence, .notBegun) }
            claims = []
        } else if !returned.isEmpty {
            skip(returned.map(\.position), in: queue)
        }
        if !returned.isEmpty {
            // Where this fails, they are free after their lease.
            _ = try? await self.turn(returned, claiming: nil, in: queue)
            if claims.isEmpty, let problem = failure {
                // What can be opened may wait behind.
                let next = try? await self.turn([], claiming: request, in: queue)
                if next?.claims.isEmpty ?? true, endings.isEmpty { throw problem }
                return CompletionResult(isOwned: isOwned, claims: next?.claims ?? [])
            }
        }
        return CompletionResult(isOwned: isOwned, claims: claims)
    }

    /// The claims of rows; those that no key opens have not begun.
    private func claims(_ rows: [PostgresRow], in queue: String, _ member: Membership, _ lost: OneShot)
        throws(StoreFailure)
        -> (claims: [ClaimedWork], unopened: [StoreTurn.Ending], failure: StoreFailure?)
    {
        var (claims, unopened, failure) = ([ClaimedWork](), [StoreTurn.Ending](), nil as StoreFailure?)
        for row in rows {
            let (position, id, isSealed, fence) = try storing { () throws(PostgresFailure) in
                (try row.integer(1), try row.name(2), try row.bool(5), try row.integer(11))
            }
            let (head, payload) = try storing { () throws(PostgresFailure) in (try row.bytes(6), try row.bytes(7)) }
            do throws(StoreFailure) {
                let metadata = try opened(head, .head, id, in: queue, if: isSealed && !head.isEmpty)
                let bytes = try opened(payload, .work, id, in: queue, if: isSealed)
                claims.append(
                    try storing { () throws(PostgresFailure) in
                        ClaimedWork(
                            queue: queue,
                            position: position,
                            id: id,
                            lane: try row.name(3),
                            kind: try row.name(4),
                            metadata: metadata,
                            payload: bytes,
                            attempts: try row.int(8),
                            added: try row.integer(9),
                            age: try row.duration(10),
                            fence: fence,
                            owner: member.runner,
                            lost: lost
                        )
                    }
                )
            } catch {
                failure = error
                unopened.append(StoreTurn.Ending(position, fence, .notBegun))
            }
        }
        return (claims, unopened, failure)
    }

    package func extend(_ claims: [ClaimedWork], by lease: Duration) async throws(StoreFailure) -> [Bool] {
        // The others may have given this runner up.
        guard !presence.isSilent else { return claims.map { _ in false } }
        let (functions, now, leases, clock) = (functions, now, leases, clock)
        let box = SentTurn.Box()
        let delivered: @Sendable (Membership, StoreAnswer) -> Void = { _, answer in
            let due = box.value.uptime + lease.milliseconds
            for (claim, flag) in zip(claims, answer.items) where flag.boolean ?? false {
                leases.extend(claim, until: due)
            }
        }
        let answer = try await writer.write(.alone, delivered: delivered) { member, _ in
            let uptime = clock.uptime()
            box.value = SentTurn(uptime: uptime)
            let held = claims.map { leases.holds($0.queue, $0.position, at: uptime) }
            return functions.call(
                "extend_1",
                [
                    .int4(member.group), .int8(member.runner), now, .int8s(claims.map(\.position)),
                    .int8s(zip(claims, held).map { $1 && $0.owner == member.runner ? $0.fence : 0 }),
                    .milliseconds(lease),
                ]
            )
        }
        // An extension that has taken longer than its lease is none.
        let isOver = box.value.uptime + lease.milliseconds <= clock.uptime()
        return answer.items.map { $0.boolean ?? false && !isOver }
    }

    package func remove(_ id: String, from queue: String, leaving outcome: WorkOutcome?)
        async throws(StoreFailure) -> RemovedWork?
    {
        let note = try note(outcome, id, in: queue)
        let kept = outcome.map { $0.kept ?? limits.doneKept }
        let (functions, now) = (functions, now)
        let answer = try await writer.write(.alone) { member, _ in
            functions.call(
                "remove_1",
                [
                    .int4(member.group), .int8(member.runner), now, .name(queue), .name(id), .bool(outcome != nil),
                    .bytea(note), .milliseconds(kept ?? .zero),
                ]
            )
        }
        guard let item = answer.items.first else { return nil }
        return try removed(StoreAnswer(item), in: queue)
    }

    package func expedite(_ which: WorkExpediting, in queue: String) async throws(StoreFailure) -> Int {
        let (number, name): (Int16, String) =
            switch which {
            case .item(let id): (0, id)
            case .awaiting(let event): (1, event)
            case .all(let event): (2, event)
            }
        let (functions, now) = (functions, now)
        let answer = try await writer.write(.alone) { member, _ in
            functions.call("expedite_1", [.int4(member.group), now, .name(queue), .int2(number), .name(name)])
        }
        return Int(try answer.integer(0))
    }

    package func move(_ id: String, to lane: String, in queue: String) async throws(StoreFailure) -> MovedWork? {
        try limits.check(key: lane, "lane")
        let (functions, now) = (functions, now)
        let answer = try await writer.write(.alone) { member, _ in
            functions.call("move_1", [.int4(member.group), now, .name(queue), .name(id), .name(lane)])
        }
        switch answer.kind {
        case "none": return nil
        case "claimed": return .claimed
        case "same": return .moved(from: nil)
        case "moved": return .moved(from: try text(answer, 1))
        default: throw .unexpected("an unknown answer to a move")
        }
    }

    package func setPause(_ isPaused: Bool, of lane: String?, in queue: String) async throws(StoreFailure) -> Bool {
        try limits.check(name: queue, "queue")
        if let lane { try limits.check(key: lane, "lane") }
        let functions = functions
        let answer = try await writer.write(.alone) { member, _ in
            functions.call(
                "pause_1",
                [.int4(member.group), .name(queue), .name(lane ?? ""), .bool(isPaused), .int8(nil)]
            )
        }
        return try answer.boolean(0)
    }

    package func hold(_ isHeld: Bool, queue: String) async throws(StoreFailure) {
        try limits.check(name: queue, "queue")
        let functions = functions
        _ = try await writer.write(.alone) { member, _ in
            functions.call(
                "pause_1",
                [.int4(member.group), .name(queue), .name(""), .bool(isHeld), .int8(member.runner)]
            )
        }
    }

    package func forget(queues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        try limits.check(name: prefix, "queue")
        let functions = functions
        let answer = try await writer.write(.alone) { member, _ in
            functions.call("forget_1", [.int4(member.group), .name(prefix)])
        }
        return ForgottenWork(items: Int(try answer.integer(0)), ended: Int(try answer.integer(1)))
    }

    package func forgetEnded(of queue: String) async throws(StoreFailure) -> Int {
        let functions = functions
        let answer = try await writer.write(.alone) { member, _ in
            functions.call("forget_ended_1", [.int4(member.group), .name(queue)])
        }
        return Int(try answer.integer(0))
    }

    // MARK: Sealing

    private func sealed(_ bytes: [UInt8], _ part: SealedPart, _ id: String, in queue: String, if isSealed: Bool)
        throws(StoreFailure) -> [UInt8]
    {
        isSealed ? try sealer.seal(bytes, for: place(part, id, in: queue)) : bytes
    }

    func opened(_ bytes: [UInt8], _ part: SealedPart, _ id: String, in queue: String, if isSealed: Bool)
        throws(StoreFailure) -> [UInt8]
    {
        isSealed ? try sealer.open(bytes, for: place(part, id, in: queue)) : bytes
    }

    private func note(_ outcome: WorkOutcome?, _ id: String, in queue: String) throws(StoreFailure) -> [UInt8] {
        guard let outcome else { return [] }
        return try sealed(outcome.payload, .note, id, in: queue, if: !outcome.payload.isEmpty)
    }

    // MARK: Answers

    /// A removed item: id, lane, kind, head, whether it is sealed, attempts, time of addition.
    private func removed(_ item: StoreAnswer, in queue: String) throws(StoreFailure) -> RemovedWork {
        let id = try text(item, 0)
        let head = try bytes(item, 3)
        let isSealed = try item.boolean(4) && !head.isEmpty
        return RemovedWork(
            id: id,
            lane: try text(item, 1),
            kind: try text(item, 2),
            metadata: try? opened(head, .head, id, in: queue, if: isSealed),
            attempts: Int(try item.integer(5)),
            added: try item.integer(6)
        )
    }

    private func bytes(_ answer: StoreAnswer, _ index: Int) throws(StoreFailure) -> [UInt8] {
        guard answer.items.indices.contains(index), let text = answer.items[index].string,
            // PostgreSQL breaks its lines.
            let bytes = Base64.bytes(of: text.filter { $0 != "\n" })
        else { throw .unexpected("no bytes in an answer") }
        return bytes
    }

    private func text(_ answer: StoreAnswer, _ index: Int) throws(StoreFailure) -> String {
        String(decoding: try bytes(answer, index), as: UTF8.self)
    }
}

/// What a transaction with claims was sent with.
private struct SentTurn: Sendable {
    var uptime: Int64 = 0
    /// The claims whose time was over.
    var late: [(position: Int64, fence: Int64)] = []
    /// Fires when the claims that it makes are lost with the membership.
    var lost = OneShot()

    final class Box: Sendable {
        private let state = Mutex(SentTurn())

        var value: SentTurn {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}
