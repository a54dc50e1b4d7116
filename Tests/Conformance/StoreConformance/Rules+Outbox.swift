import WireBase
import WireStore

extension WorkQueue {
    /// Claims up to a number of entries, ending others in the same step.
    fileprivate func turn(
        _ endings: [WorkEnding] = [],
        upTo count: Int,
        and named: [String] = [],
        kinds: Set<String>? = nil
    ) async throws -> CompletionResult {
        try await complete(
            endings,
            claiming: ClaimRequest(for: .seconds(30), upTo: count, and: named, kinds: kinds),
            in: "q"
        )
    }

    fileprivate func put(
        _ id: String,
        lane: String,
        kind: String = "app",
        size: Int = 1,
        within quota: QueueQuota = QueueQuota()
    ) async throws -> AddedWork {
        var work = NewWork(id: id, lane: lane, payload: [UInt8](repeating: 7, count: size), isSealed: true)
        (work.kind, work.metadata) = (kind, Array("head of \(id)".utf8))
        return try await add(work, to: "q", within: quota)
    }
}

/// Expects a rejection for a limit.
private func expect(
    _ kind: StoreFailure.Kind,
    _ limit: StorageQuota.Limit,
    line: Int = #line,
    _ body: () async throws -> Void
) async throws {
    do {
        try await body()
    } catch let failure as StoreFailure {
        try expect(failure.kind, is: kind, line: line)
        return try expect(failure.limit, is: limit, line: line)
    }
    throw Broken(description: "line \(line): it was done")
}

extension WorkDelay {
    fileprivate init(_ time: Duration, _ reason: String, awaiting name: String, counts: Bool = false) {
        self.init(time, because: reason)
        (awaits, isAttempt) = (name, counts)
    }
}

extension SharedRule {
    static var outbox: [Self] {
        [
            Self("many entries can be claimed at once, one per lane, and the next when the previous ends") { store, _ in
                for lane in ["a", "b", "c"] {
                    for number in 1...2 { _ = try await store.put("\(lane)\(number)", lane: lane) }
                }
                let first = try await store.turn(upTo: 9)
                try expect(first.claims.map(\.id), is: ["a1", "b1", "c1"])
                try expect(first.claims.map(\.metadata), is: ["a1", "b1", "c1"].map { Array("head of \($0)".utf8) })
                let endings = first.claims.dropLast().map { WorkEnding($0, .done(nil)) }
                let next = try await store.turn(endings, upTo: 1)
                try expect(next.isOwned, is: [true, true])
                try expect(next.claims.map(\.id), is: ["a2"])
                let last = try await store.turn(endings, upTo: 9)
                try expect(last.isOwned, is: [false, false])
                try expect(last.claims.map(\.id), is: ["b2"])
            },
            Self("named entries are claimed in addition, at any position, if claimable") { store, _ in
                for id in ["a1", "a2", "b1", "c1", "d1"] { _ = try await store.put(id, lane: String(id.prefix(1))) }
                // The second of a lane cannot be claimed, nor a missing one.
                let first = try await store.turn(upTo: 1, and: ["d1", "a2", "none"])
                try expect(first.claims.map(\.id), is: ["d1", "a1"])
                // In the order in which they were added; claimed ones are not claimed again.
                let rest = try await store.turn(upTo: 0, and: ["c1", "d1", "b1"])
                try expect(rest.claims.map(\.id), is: ["b1", "c1"])
            },
            Self("only entries of the wanted kinds are claimed and waited for; another one blocks its lane") {
                store,
                clock in
                for (id, lane, kind) in [
                    ("a1", "a", "push"), ("a2", "a", "app"), ("b1", "b", "app"), ("c1", "c", "sync"),
                ] {
                    _ = try await store.put(id, lane: lane, kind: kind)
                }
                try expect(try await store.turn(upTo: 9, and: ["c1"], kinds: ["app"]).claims.map(\.id), is: ["b1"])
                try expect(try await store.turn(upTo: 9, kinds: []).claims.map(\.id), is: [])
                try await expect(try store.nextDue(in: "q", kinds: ["app"]), is: .seconds(30))
                try await expect(try store.nextDue(in: "q", kinds: ["device"]), is: nil)
                try await expect(try store.nextDue(in: "q", kinds: ["device", "sync"]), is: .zero)
                let woken = OneShot()
                let waiting = Task {
                    try await store.waitUntilDue(in: "q", kinds: ["device"])
                    woken.fire()
                }
                // What else is due wakes other waiters only.
                try await store.waitUntilDue(in: "q", kinds: ["sync"])
                try expect(woken.hasFired, is: false)
                _ = try await store.put("d1", lane: "d", kind: "device")
                try await waiting.value
                let rest = try await store.turn(upTo: 9, and: ["c1"], kinds: ["push", "sync"])
                try expect(rest.claims.map(\.id), is: ["c1", "a1"])
            },
            Self("a claim is held by its owner: the same fencing number of another one ends nothing") { store, _ in
                _ = try await store.put("a", lane: "a")
                let claim = try await store.take("a")
                let other = ClaimedWork(
                    queue: claim.queue,
                    position: claim.position,
                    id: claim.id,
                    lane: claim.lane,
                    kind: claim.kind,
                    metadata: claim.metadata,
                    payload: claim.payload,
                    attempts: claim.attempts,
                    added: claim.added,
                    age: claim.age,
                    fence: claim.fence,
                    owner: claim.owner ^ 1
                )
                try expect(try await store.extend(other, by: .seconds(30)), is: false)
                let endings = [
                    WorkEnding(other, .later(WorkDelay(.zero, because: ""))), WorkEnding(other, .done(nil)),
                    WorkEnding(claim, .done(nil)),
                ]
                try expect(try await store.turn(endings, upTo: 0).isOwned, is: [false, false, true])
            },
            Self("a completed entry leaves a note for its retention time, and its id is not added again") {
                store,
                clock in
                _ = try await store.put("a", lane: "l")
                let claim = try await store.take("a")
                let outcome = WorkOutcome(Array("201".utf8), kept: .seconds(60))
                let turned = try await store.turn([WorkEnding(claim, .done(outcome))], upTo: 0)
                try expect(turned.isOwned, is: [true])
                try await expect(try store.outcome(of: "a", in: "q")?.payload, is: Array("201".utf8))
                try await expect(try store.outcome(of: "a", in: "q")?.ended, is: clock.clock.now())
                try await expect(try store.outcome(of: "a", in: "other")?.payload, is: nil)
                try expect(try await store.put("a", lane: "l").isNew, is: false)
                clock.pass(.seconds(59))
                try await expect(try store.outcome(of: "a", in: "q")?.payload, is: Array("201".utf8))
                clock.pass(.seconds(1))
                try await expect(try store.outcome(of: "a", in: "q")?.payload, is: nil)
                try expect(try await store.put("a", lane: "l").isNew, is: true)
            },
            Self("a claim without an attempt is not counted, and a signal expedites a waiting entry") {
                store,
                _ in
                for (id, name) in [("a", "network"), ("b", "user"), ("c", "server")] {
                    _ = try await store.put(id, lane: id)
                    let claim = try await store.take(id)
                    let delay = WorkDelay(.seconds(60), "not now", awaiting: name, counts: id == "c")
                    _ = try await store.turn([WorkEnding(claim, .later(delay))], upTo: 0)
                }
                try await expect(try store.list("q", after: nil, limit: 9).map(\.attempts), is: [0, 0, 1])
                try await expect(
                    try store.list("q", after: nil, limit: 9).map(\.awaits),
                    is: ["network", "user", "server"]
                )
                try expect(try await store.expedite(.awaiting("user"), in: "q"), is: 1)
                try expect(try await store.turn(upTo: 9).claims.map(\.id), is: ["b"])
                try expect(try await store.expedite(.all(butAwaiting: "server"), in: "q"), is: 1)
                try expect(try await store.turn(upTo: 9).claims.map(\.id), is: ["a"])
                // A claimed entry stays with its worker.
                try expect(try await store.expedite(.item("a"), in: "q"), is: 0)
                try expect(try await store.expedite(.item("c"), in: "q"), is: 1)
                try expect(try await store.take("c").attempts, is: 1)
            },
            Self("a moved entry is last in its new lane and unblocks those behind it; a claimed entry is not moved") {
                store,
                _ in
                for (id, lane) in [("a", "l"), ("b", "l"), ("c", "m")] { _ = try await store.put(id, lane: lane) }
                try expect(try await store.move("a", to: "m", in: "q"), is: .moved(from: "l"))
                try await expect(try store.list("q", after: nil, limit: 9).map(\.id), is: ["b", "c", "a"])
                try await expect(
                    try store.list("q", lane: "m", after: nil, limit: 9).map(\.isFirst),
                    is: [true, false]
                )
                try expect(try await store.turn(upTo: 9).claims.map(\.id), is: ["b", "c"])
                try expect(try await store.move("c", to: "l", in: "q"), is: .claimed)
                try expect(try await store.move("a", to: "n", in: "q"), is: .moved(from: "m"))
                try expect(try await store.move("a", to: "n", in: "q"), is: .moved(from: nil))
                try expect(try await store.turn(upTo: 9).claims.map(\.lane), is: ["n"])
                try expect(try await store.move("d", to: "n", in: "q"), is: nil)
            },
            Self("a moved entry no longer waits for the condition of its former lane") { store, _ in
                for (id, lane) in [("a", "l"), ("b", "m")] { _ = try await store.put(id, lane: lane) }
                let delay = WorkDelay(.seconds(60), "not now", awaiting: "network", counts: false)
                _ = try await store.turn([WorkEnding(try await store.take("a"), .later(delay))], upTo: 0)
                try expect(try await store.move("a", to: "m", in: "q"), is: .moved(from: "l"))
                _ = try await store.complete(try await store.take("b"))
                try expect(try await store.turn(upTo: 9).claims.map(\.id), is: ["a"])
            },
            Self("a full queue rejects new entries, or removes the oldest unclaimed entry") { store, _ in
                var quota = QueueQuota()
                quota.entries = 2
                for id in ["a", "b"] { _ = try await store.put(id, lane: id, within: quota) }
                let claim = try await store.take("a")
                try await expect(.full, .entries) { _ = try await store.put("c", lane: "c", within: quota) }
                quota.removesOldest = true
                quota.leaving = WorkOutcome(Array("dropped".utf8))
                let added = try await store.put("c", lane: "c", within: quota)
                try expect(added.removed.map(\.id), is: ["b"])
                try expect(added.removed.map(\.metadata), is: [Array("head of b".utf8)])
                try await expect(try store.outcome(of: "b", in: "q")?.payload, is: Array("dropped".utf8))
                try expect(try await store.put("b", lane: "b", within: quota).isNew, is: false)
                _ = try await store.complete(claim)
                (quota.entries, quota.size) = (nil, .bytes(40))
                try await expect(.full, .size) { _ = try await store.put("d", lane: "d", size: 31, within: quota) }
                try await expect(try store.list("q", after: nil, limit: 9).map(\.id), is: ["c"])
                try expect(try await store.put("d", lane: "d", size: 30, within: quota).removed.map(\.id), is: ["c"])
            },
            Self("a replacing entry removes the unclaimed entries of its lane and kind") { store, _ in
                for (id, lane, kind) in [("a", "l", "x"), ("b", "l", "x"), ("c", "l", "y"), ("d", "m", "x")] {
                    _ = try await store.put(id, lane: lane, kind: kind)
                }
                _ = try await store.take("a")
                var quota = QueueQuota()
                quota.replacesFormer = true
                try expect(try await store.put("e", lane: "l", kind: "x", within: quota).removed.map(\.id), is: ["b"])
                try await expect(try store.list("q", lane: "l", after: nil, limit: 9).map(\.id), is: ["a", "c", "e"])
                try await expect(try store.usage(ofQueue: "q").entries, is: 4)
            },
            Self("a paused entry is not claimed and wakes no worker until it is resumed") { store, _ in
                for lane in ["a", "b"] { _ = try await store.put(lane, lane: lane) }
                try expect(try await store.setPause(true, of: "a", in: "q"), is: true)
                try expect(try await store.setPause(true, of: "a", in: "q"), is: false)
                try expect(try await store.turn(upTo: 9).claims.map(\.id), is: ["b"])
                try await expect(try store.nextDue(in: "q") != .zero, "nothing is due")
                try expect(try await store.setPause(true, of: nil, in: "q"), is: true)
                try await expect(try store.pauses(of: "q"), is: WorkPauses(isWhole: true, lanes: ["a"]))
                try await expect(try store.nextDue(in: "q") == nil, "nothing but what is paused waits")
                _ = try await store.setPause(false, of: "a", in: "q")
                try expect(try await store.turn(upTo: 9).claims.map(\.id), is: [])
                async let woken: Void = store.waitUntilDue(in: "q")
                try expect(try await store.setPause(false, of: nil, in: "q"), is: true)
                try await woken
                _ = try await store.take("a")
            },
            Self("no entry of a held queue is claimed, claims that are held can end, and forgetting keeps the hold") {
                store,
                _ in
                for lane in ["a", "b"] { _ = try await store.put(lane, lane: lane) }
                let claim = try await store.take("a")
                try await store.hold(true, queue: "q")
                try await store.hold(true, queue: "q")
                try expect(try await store.turn(upTo: 9, and: ["b"]).claims.map(\.id), is: [])
                try await expect(try store.nextDue(in: "q") != .zero, "nothing is due")
                // What a process holds itself is not told as another's.
                try await expect(try store.pauses(of: "q"), is: WorkPauses(isWhole: false, lanes: []))
                async let ended: Void = store.waitUntilUnclaimed("q")
                try expect(try await store.complete(claim), is: true)
                try await ended
                _ = try await store.forget(queues: "q")
                _ = try await store.put("c", lane: "c")
                try expect(try await store.turn(upTo: 9).claims.map(\.id), is: [])
                async let woken: Void = store.waitUntilDue(in: "q")
                try await store.hold(false, queue: "q")
                try await woken
                _ = try await store.take("c")
            },
            Self("the age of an entry uses the monotonic clock, and the totals of a queue match its entries") {
                store,
                clock in
                try await expect(try store.usage(ofQueue: "q"), is: WorkUsage(entries: 0, size: .bytes(0), oldest: nil))
                _ = try await store.put("a", lane: "a", size: 10)
                clock.set(by: .seconds(3_600))
                clock.pass(.seconds(5))
                _ = try await store.put("b", lane: "b", size: 20)
                let usage = try await store.usage(ofQueue: "q")
                try expect(usage, is: WorkUsage(entries: 2, size: .bytes(50), oldest: .seconds(5)))
                try await expect(try store.list("q", after: nil, limit: 9).map(\.age), is: [.seconds(5), .zero])
                let found = try await store.find("a", in: "q")
                try expect(found?.payload.count, is: 10)
                try expect(found?.item.metadata, is: Array("head of a".utf8))
                try expect(try await store.take("a").age, is: .seconds(5))
                try expect(try await store.remove("a", from: "q", leaving: nil)?.id, is: "a")
                try await expect(try store.find("a", in: "q") == nil, "it is gone")
                try await expect(try store.usage(ofQueue: "q").size, is: .bytes(30))
            },
        ]
    }
}
