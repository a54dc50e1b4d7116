import Synchronization
import WireBase
import WireStore

extension SharedRule {
    /// A store's cache of read values must not be observable.
    static var reading: [Self] {
        [
            Self("a cached read returns the current value, whatever has changed") { store, clock in
                var model = Model()
                for step in 0..<600 {
                    try await model.change(store, step)
                    // Time passes now and then, so that entries expire that were just read.
                    if step % 50 == 49 { clock.pass(.seconds(1)) }
                    try await model.check(store, clock.clock.now(), step)
                }
            },
            Self("a cached read returns the current value, past the end of the history", limits: shortHistory) {
                store,
                _ in
                for key in ["a", "b"] { try await store.put("first", under: key) }
                for key in ["a", "b", "c"] { _ = try await store.text(key) }
                for number in 0..<600 { try await store.put("\(number)", under: "other") }
                try await store.put("second", under: "a")
                for number in 0..<600 { try await store.put("\(number)", under: "other") }
                try await expect(try store.text("a"), is: "second")
                try await expect(try store.text("b"), is: "first")
                try await expect(try store.text("other"), is: "599")
                _ = try await store.clear("n")
                for key in ["a", "b", "other"] { try await expect(try store.text(key), is: nil) }
            },
            Self("with a small read cache, all reads are still correct", limits: littleRoom) { store, _ in
                let large = String(repeating: "x", count: 3_000)
                for round in 0..<3 {
                    for number in 0..<40 { try await store.put("\(round) \(number)", under: "\(number)") }
                    try await store.put(large + "\(round)", under: "large")
                    for number in (0..<40).reversed() {
                        try await expect(try store.text("\(number)"), is: "\(round) \(number)")
                    }
                    try await expect(try store.text("large"), is: large + "\(round)")
                }
            },
            Self("an entry read during writes never goes back to an older value") { store, _ in
                try await store.put("0", under: "k")
                let writer = Writing()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            var seen = 0
                            while !writer.isOver.load(ordering: .acquiring) {
                                let now = Int(try await store.text("k") ?? "") ?? -1
                                try expect(now >= seen, "read \(now) after \(seen)")
                                seen = now
                                await Task.yield()
                            }
                            try await expect(try store.text("k"), is: "200")
                        }
                    }
                    defer { writer.isOver.store(true, ordering: .releasing) }
                    for number in 1...200 {
                        try await store.put("\(number)", under: "k")
                        try await expect(try store.text("k"), is: "\(number)")
                    }
                    writer.isOver.store(true, ordering: .releasing)
                    try await group.waitForAll()
                }
            },
        ]
    }

    private static var shortHistory: StoreLimits {
        var limits = StoreLimits()
        limits.history = 10
        return limits
    }

    private static var littleRoom: StoreLimits {
        var limits = StoreLimits()
        limits.recentSize = .kibibytes(4)
        return limits
    }
}

private final class Writing: Sendable {
    let isOver = Atomic(false)
}

/// The expected contents of a store, in the simplest form.
private struct Model {
    private struct Entry {
        let text: String
        let version: Int64
        let expires: Int64?
    }

    private var entries: [String: Entry] = [:]
    private var numbers = Numbers()

    private static let namespaces = ["n", "m"]
    private static let keys = (0..<8).map { "\($0)" }

    mutating func change(_ store: any SharedStore, _ step: Int) async throws {
        let namespace = Self.namespaces[numbers.next(below: 2)]
        let key = Self.keys[numbers.next(below: Self.keys.count)]
        let place = "\(namespace)/\(key)"
        switch numbers.next(below: 20) {
        case 0:
            _ = try await store.clear(namespace)
            entries = entries.filter { !$0.key.hasPrefix("\(namespace)/") }
        case 1...4:
            _ = try await store.remove(key, in: namespace, if: .always)
            entries[place] = nil
        case 5:
            // A change of something else.
            _ = try await store.add(NewWork(id: "\(step)", lane: "l", payload: []), to: "q")
        case let kind:
            let lifetime: Duration? = kind < 10 ? .seconds(2) : nil
            let value = NewValue(text: "\(step)", lifetime: lifetime, isSealed: kind % 3 == 0)
            let put = try await store.put(value, under: key, in: namespace, if: .always)
            entries[place] = Entry(text: "\(step)", version: put.version, expires: put.expires)
        }
    }

    func check(_ store: any SharedStore, _ now: Int64, _ step: Int) async throws {
        for namespace in Self.namespaces {
            for key in Self.keys {
                let wanted = entries["\(namespace)/\(key)"].flatMap { $0.expires ?? .max > now ? $0 : nil }
                let found = try await store.entry(key, in: namespace)
                let text = found.map { String(decoding: $0.bytes, as: UTF8.self) }
                try expect(text == wanted?.text, "step \(step): \(key) is \(text ?? "-"), not \(wanted?.text ?? "-")")
                try expect(found?.summary.version, is: wanted?.version)
                try await expect(try store.summary(key, in: namespace)?.version, is: wanted?.version)
            }
        }
    }
}

/// Pseudo-random numbers, the same in each run.
private struct Numbers {
    private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
