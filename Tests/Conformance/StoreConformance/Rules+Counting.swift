import WireBase
import WireStore

/// What a removal would remove is counted by the same measure, and stays.
extension LocalRule {
    static var counting: [Self] {
        [
            Self("answers are counted as they are forgotten, by the beginning of their keys") { store, _ in
                for key in ["u/a", "u/b", "v", "u"] {
                    let value = CachedValue(bytes: [1], notes: [], stored: 0)
                    try await store.cache(value, under: key, in: "r", bound: .kibibytes(1))
                }
                for (prefix, count) in [("u/", 2), ("u", 3), ("", 4), ("w", 0)] {
                    try expect(try store.cachedCount(beginning: prefix, in: "r"), is: count)
                }
                try expect(try store.cachedCount(beginning: "", in: "other"), is: 0)
                try expect(try store.cachedCount(beginning: "u/", in: "r"), is: 2)
                try expect(try await store.forget(beginning: "u/", in: "r"), is: 2)
                try expect(try store.cachedCount(beginning: "", in: "r"), is: 2)
            },
            Self("records are counted as they are forgotten, by the beginning of their regions") { store, _ in
                for region in ["u/1", "u/2", "v"] {
                    _ = try await store.edit(RecordEdit([], bound: .mebibytes(1)), in: region) { _ in
                        RecordChanges(puts: [.init("a", [1]), .init("b", [2])])
                    }
                }
                for (prefix, count) in [("u/", 4), ("u/1", 2), ("", 6), ("w", 0)] {
                    try expect(try store.recordCount(ofRegionsBeginning: prefix), is: count)
                }
                try expect(try await store.forgetRecords(ofRegionsBeginning: "u/"), is: 4)
                try expect(try store.recordCount(ofRegionsBeginning: ""), is: 2)
            },
        ]
    }
}

extension SharedRule {
    static var counting: [Self] {
        [
            Self("work and remembered ids are counted as they are forgotten, by the beginning of their queues") {
                store,
                _ in
                for queue in ["q/1", "q/12", "r"] {
                    for id in ["a", "b", "c"] {
                        _ = try await store.add(NewWork(id: id, lane: id, payload: []), to: queue, within: QueueQuota())
                    }
                    _ = try await store.remove("a", from: queue, leaving: WorkOutcome([], kept: .seconds(60)))
                    _ = try await store.claim(from: queue, for: .seconds(30))
                }
                for (prefix, items, ended) in [("q/", 4, 2), ("q/12", 2, 1), ("s", 0, 0)] {
                    try await expect(try store.counts(ofQueues: prefix), is: ForgottenWork(items: items, ended: ended))
                }
                try await expect(try store.endedCount(of: "q/1"), is: 1)
                try await expect(try store.endedCount(of: "q/"), is: 0)
                try expect(try await store.forgetEnded(of: "q/1"), is: 1)
                try await expect(try store.endedCount(of: "q/1"), is: 0)
                try expect(try await store.forget(queues: "q/"), is: ForgottenWork(items: 4, ended: 1))
                try await expect(try store.counts(ofQueues: "q/"), is: ForgottenWork(items: 0, ended: 0))
                try await expect(try store.counts(ofQueues: "r"), is: ForgottenWork(items: 2, ended: 1))
            },
            Self("a new store has no copies of former versions") { store, _ in
                try await expect(try store.scrubbable().copies, is: 0)
                try expect(try await store.scrub().copies, is: 0)
            },
        ]
    }
}
