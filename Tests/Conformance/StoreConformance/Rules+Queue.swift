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

extension Rule {
    static let queue: [Rule] = [
        Rule("entries are processed in order, unchanged, and are gone afterwards") { store, _ in
            for id in ["a", "b", "c"] { try expect(try await store.add(id, lane: "l", isSealed: id == "b"), is: true) }
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
        Rule("lanes and queues do not block each other") { store, _ in
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
        Rule("an id is added once, while the entry is queued and for its retention time") { store, clock in
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
        Rule("a lease lasts for its duration, whatever the wall clock does") { store, clock in
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
        Rule("a worker that has lost its claim cannot change the entry") { store, clock in
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
        Rule("a released entry is retried after its delay, and blocks its lane until then") { store, clock in
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
        Rule("an entry can be delayed when it is added") { store, clock in
            try await store.add("a", delay: .seconds(60))
            try expect(try await store.claim() == nil, "not yet")
            clock.set(by: .seconds(3_600))
            try expect(try await store.claim() == nil, "the clock on the wall does not count")
            clock.pass(.seconds(59))
            try expect(try await store.claim() == nil, "a second is left")
            clock.pass(.seconds(1))
            _ = try await store.take("a")
        },
        Rule("a list shows the queued entries, oldest first, page by page") { store, clock in
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
        Rule("concurrent workers get distinct entries") { store, _ in
            for number in 0..<50 { try await store.add("\(number)") }
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<60 { group.addTask { try await store.claim()?.id } }
                return try await group.reduce(into: [String]()) { $0 += $1.map { [$0] } ?? [] }
            }
            try expect(ids.count, is: 50)
            try expect(Set(ids).count, is: 50)
        },
        Rule("a waiting worker wakes when an entry is available") { store, _ in
            async let woken: Void = store.waitUntilDue(in: "q")
            try await store.add("a")
            try await woken
            _ = try await store.take("a")
            let wait = Task { try await store.waitUntilDue(in: "q") }
            wait.cancel()
            try expect(try await failure { try await wait.value }, is: .cancelled)
        },
        Rule("a queue does not exceed its limits", limits: small) { store, _ in
            try await store.add("12345")
            try await store.add("1")
            try expect(try await failure { try await store.add("2") }, is: .full)
            _ = try await store.complete(try await store.take("12345"))
            try await store.add("2")
            try expect(try await failure { try await store.add("1234567") }, is: .full)
        },
    ]

    private static var small: StoreLimits {
        var limits = StoreLimits()
        limits.queueSize = .bytes(12)
        return limits
    }

    static let cache: [Rule] = [
        Rule("a cached response is stored with its notes until it expires or is replaced") { store, _ in
            let value = CachedValue(bytes: [1, 2], notes: [3], stored: 7)
            try await store.cache(value, under: "k", in: "r", bound: .kibibytes(1))
            let found = try store.cached("k", in: "r")
            try expect(found?.bytes, is: [1, 2])
            try expect(found?.notes, is: [3])
            try expect(found?.stored, is: 7)
            try expect(try store.cached("k", in: "other") == nil, "a region sees its own answers")
            try await store.cache(
                CachedValue(bytes: [], notes: [], stored: 8),
                under: "k",
                in: "r",
                bound: .kibibytes(1)
            )
            try expect(try store.cached("k", in: "r")?.bytes, is: [])
            try await store.forget("other", in: "r")
            try expect(try store.cached("k", in: "r") != nil, "another one was forgotten")
            try await store.forget("k", in: "r")
            try expect(try store.cached("k", in: "r") == nil, "it was forgotten")
        },
        Rule("a full region evicts the least recently used record") { store, _ in
            func cache(_ key: String, _ size: Int = 9) async throws -> Int {
                let value = CachedValue(bytes: [UInt8](repeating: 0, count: size), notes: [], stored: 0)
                return try await store.cache(value, under: key, in: "r", bound: .bytes(30))
            }
            try expect(try store.cacheUsage(of: "r"), is: StoreUsage(entries: 0, size: .bytes(0)))
            for key in ["a", "b", "c"] { try expect(try await cache(key), is: 0) }
            _ = try store.cached("a", in: "r")
            try expect(try await cache("d"), is: 1)
            try expect(try store.cacheUsage(of: "r"), is: StoreUsage(entries: 3, size: .bytes(30)))
            try expect(try store.cacheUsage(of: "other"), is: StoreUsage(entries: 0, size: .bytes(0)))
            try expect(
                try ["a", "b", "c", "d"].map { try store.cached($0, in: "r") != nil },
                is: [true, false, true, true]
            )
            // An entry that does not fit is not stored, and removes nothing.
            try expect(try await cache("big", 100), is: 0)
            try expect(try store.cached("big", in: "r") == nil, "it does not fit")
            try expect(try store.cached("a", in: "r") != nil, "nothing else is forgotten for it")
            _ = try await cache("e")
            try expect(try store.cached("e", in: "r") != nil, "there is room again")
            try await store.forget(nil, in: "r")
            try expect(try store.cached("e", in: "r") == nil, "everything is forgotten")
        },
    ]
}
