import WireBase
import WireStore

extension WorkQueue {
    @discardableResult
    func add(_ id: String, lane: String? = nil, delay: Duration = .zero, isSealed: Bool = false) async throws -> Bool {
        let work = NewWork(id: id, lane: lane ?? id, payload: Array(id.utf8), isSealed: isSealed, delay: delay)
        return try await add(work, to: "q")
    }

    func claim(for lease: Duration = .seconds(30)) async throws -> ClaimedWork? {
        try await claim(from: "q", for: lease)
    }

    /// Claims the expected entry.
    func take(_ id: String, line: Int = #line) async throws -> ClaimedWork {
        guard let claim = try await claim() else { throw Broken(description: "line \(line): nothing to claim") }
        try expect(claim.id, is: id, line: line)
        return claim
    }
}

extension SharedRule {
    static var queue: [Self] {
        [
            Self("entries are processed in order, unchanged, and are gone afterwards") { store, _ in
                for id in ["a", "b", "c"] {
                    try expect(try await store.add(id, lane: "l", isSealed: id == "b"), is: true)
                }
                for id in ["a", "b", "c"] {
                    let claim = try await store.take(id)
                    try expect(claim.payload, is: Array(id.utf8))
                    try expect(claim.lane, is: "l")
                    try expect(try await store.claim() == nil, "the lane is worked on")
                    try expect(try await store.complete(claim), is: true)
                    try expect(try await store.complete(claim), is: false)
                }
                try await expect(try store.list("q", after: nil, limit: 9).count, is: 0)
                try await expect(try store.nextDue(in: "q"), is: nil)
            },
            Self("lanes and queues do not block each other") { store, _ in
                try await store.add("a1", lane: "a")
                try await store.add("a2", lane: "a")
                try await store.add("b1", lane: "b")
                let first = try await store.take("a1")
                _ = try await store.take("b1")
                try expect(try await store.claim() == nil, "both lanes are worked on")
                try expect(
                    try await store.claim(from: "other", for: .seconds(1)) == nil,
                    "another queue is empty"
                )
                _ = try await store.complete(first)
                _ = try await store.take("a2")
            },
            Self("an id is added once, while the entry is queued and for its retention time") { store, clock in
                try await store.add("a")
                try expect(try await store.add("a", lane: "other"), is: false)
                _ = try await store.complete(try await store.take("a"))
                try expect(try await store.add("a"), is: false)
                clock.pass(.seconds(24 * 3_600 - 1))
                clock.set(by: .seconds(3_600 * 48))
                try expect(try await store.add("a"), is: false)
                clock.pass(.seconds(1))
                try expect(try await store.add("a"), is: true)
                try expect(try await store.drop("a", from: "q"), is: true)
                try expect(try await store.drop("a", from: "q"), is: false)
                try expect(try await store.add("a"), is: true)
            },
            Self("a lease lasts for its duration, whatever the wall clock does") { store, clock in
                try await store.add("a")
                let claim = try await store.take("a")
                try expect(claim.attempts, is: 0)
                for jump in [3_600 * 24 * 400, -3_600 * 24 * 800] {
                    clock.set(by: .seconds(jump))
                    try expect(try await store.claim() == nil, "the lease is not over")
                }
                clock.pass(.seconds(29))
                try expect(try await store.claim() == nil, "the lease is not over")
                try expect(try await store.extend(claim, by: .seconds(30)), is: true)
                clock.pass(.seconds(29))
                try expect(try await store.claim() == nil, "the lease was extended")
                clock.pass(.seconds(1))
                try expect(try await store.take("a").attempts, is: 1)
            },
            Self("a worker that has lost its claim cannot change the entry") { store, clock in
                try await store.add("a")
                let lost = try await store.take("a")
                clock.pass(.seconds(30))
                let left = try await store.list("q", after: nil, limit: 9)
                try expect(left.map(\.isClaimed) + left.map(\.isLost), is: [false, true])
                let held = try await store.take("a")
                try expect(held.fence > lost.fence, "the fence grows")
                try expect(try await store.complete(lost), is: false)
                try expect(try await store.extend(lost, by: .seconds(1)), is: false)
                try expect(try await store.requeue(lost, after: .zero, because: "late"), is: false)
                try await expect(try store.list("q", after: nil, limit: 9).map(\.isClaimed), is: [true])
                _ = try await store.drop("a", from: "q")
                try expect(try await store.complete(held), is: false)
                try await store.add("a")
                let fresh = try await store.take("a")
                try expect(try await store.complete(held), is: false)
                try expect(fresh.fence > held.fence, "the fence grows even where the id came again")
                try expect(try await store.complete(fresh), is: true)
            },
            Self("a released entry is retried after its delay, and blocks its lane until then") { store, clock in
                try await store.add("a1", lane: "a")
                try await store.add("a2", lane: "a")
                let claim = try await store.take("a1")
                try expect(try await store.requeue(claim, after: .seconds(10), because: "503"), is: true)
                try expect(try await store.complete(claim), is: false)
                try await expect(try store.list("q", after: nil, limit: 1).first?.lastReason, is: "503")
                try await expect(try store.nextDue(in: "q"), is: .seconds(10))
                clock.pass(.seconds(9))
                try expect(try await store.claim() == nil, "not before the delay is over")
                clock.pass(.seconds(1))
                try await expect(try store.nextDue(in: "q"), is: .zero)
                let again = try await store.take("a1")
                try expect(try await store.requeue(again, after: .zero, because: ""), is: true)
                try await expect(try store.list("q", after: nil, limit: 1).map(\.isLost), is: [false])
                try expect(try await store.take("a1").attempts, is: 2)
            },
            Self("an entry can be delayed when it is added") { store, clock in
                try await store.add("a", delay: .seconds(60))
                try expect(try await store.claim() == nil, "not yet")
                clock.set(by: .seconds(3_600))
                try expect(try await store.claim() == nil, "the clock on the wall does not count")
                clock.pass(.seconds(59))
                try expect(try await store.claim() == nil, "a second is left")
                clock.pass(.seconds(1))
                _ = try await store.take("a")
            },
            Self("a list shows the queued entries, oldest first, page by page") { store, clock in
                for id in ["a", "b", "c"] { try await store.add(id) }
                _ = try await store.take("a")
                let first = try await store.list("q", after: nil, limit: 2)
                try expect(first.map(\.id), is: ["a", "b"])
                try expect(first.map(\.isClaimed), is: [true, false])
                try expect(first.map(\.isLost), is: [false, false])
                try expect(first.map(\.attempts), is: [1, 0])
                try expect(first.map(\.size), is: [1, 1])
                try expect(first.map(\.added), is: [clock.clock.now(), clock.clock.now()])
                let rest = try await store.list("q", after: first.last?.position, limit: 9)
                try expect(rest.map(\.id), is: ["c"])
            },
            Self("concurrent workers get distinct entries") { store, _ in
                for number in 0..<50 { try await store.add("\(number)") }
                let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                    for _ in 0..<60 { group.addTask { try await store.claim()?.id } }
                    return try await group.reduce(into: [String]()) { $0 += $1.map { [$0] } ?? [] }
                }
                try expect(ids.count, is: 50)
                try expect(Set(ids).count, is: 50)
            },
            Self("a waiting worker wakes when an entry is available") { store, _ in
                async let woken: Void = store.waitUntilDue(in: "q")
                try await store.add("a")
                try await woken
                _ = try await store.take("a")
                let wait = Task { try await store.waitUntilDue(in: "q") }
                wait.cancel()
                try expect(try await failure { try await wait.value }, is: .cancelled)
            },
            Self("a queue does not exceed its limits", limits: small) { store, _ in
                try await store.add("12345")
                try await store.add("1")
                try expect(try await failure { try await store.add("2") }, is: .full)
                _ = try await store.complete(try await store.take("12345"))
                try await store.add("2")
                try expect(try await failure { try await store.add("1234567") }, is: .full)
            },
        ]
    }

    private static var small: StoreLimits {
        var limits = StoreLimits()
        limits.queueSize = .bytes(12)
        return limits
    }
}
