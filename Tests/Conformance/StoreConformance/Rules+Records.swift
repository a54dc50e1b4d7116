import Synchronization
import WireBase
import WireStore

extension LocalRule {
    /// Many small records, changed many at a time.
    static var records: [Self] {
        [
            Self("records are written and read together, each region separately") { store, _ in
                let receipt = try await store.edit(RecordEdit([], bound: .mebibytes(1)), in: "r") { _ in
                    RecordChanges(puts: [.init("a", [1]), .init("b", []), .init("ä", [3])])
                }
                try expect(receipt.position > receipt.former, "the position did not grow")
                let found = try store.records(["b", "a", "none"], in: "r")
                try expect(found, is: FoundRecords(records: ["a": [1], "b": []], position: receipt.position))
                try expect(try store.records(["a"], in: "s"), is: FoundRecords())
                try expect(try store.recordUsage(of: "r").entries, is: 3)
            },
            Self("an edit adds records beside existing ones, and the region contains each once") {
                store,
                _ in
                let first = try await store.put(["b": [1], "d": [1, 2, 3]], in: "r")
                _ = try await store.edit(RecordEdit([], bound: .mebibytes(1)), in: "r") { _ in
                    RecordChanges(puts: [.init("a", [1]), .init("b", [1, 2]), .init("c", [2]), .init("d", [])])
                }
                let last = ["a": [1], "b": [1, 2], "c": [2], "d": []] as [String: [UInt8]]
                try expect(try store.records(["a", "b", "c", "d"], in: "r").records, is: last)
                let news = try store.changes(after: first.position, in: "r", limit: 9)
                try expect(news.keys, is: ["a", "b", "c", "d"])
                _ = try await store.put(last, in: "s")
                try expect(try store.recordUsage(of: "r"), is: try store.recordUsage(of: "s"))
            },
            Self("an edit is decided on the current data, and is written completely or not at all") { store, _ in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<50 {
                        group.addTask {
                            _ = try await store.edit(RecordEdit(["n"], bound: .mebibytes(1)), in: "r") { found in
                                RecordChanges(puts: [.init("n", [(found.records["n"]?[0] ?? 0) + 1])])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                try expect(try store.records(["n"], in: "r").records["n"], is: [50])
                let refused = try await failure {
                    try await store.edit(RecordEdit([], bound: .mebibytes(1)), in: "r") { _ in
                        RecordChanges(puts: [.init("n", [0]), .init("", [])], removals: ["n"])
                    }
                }
                try expect(refused, is: .refused)
                try expect(try store.records(["n"], in: "r").records["n"], is: [50])
            },
            Self("known records are read again only after others have changed the region") { store, _ in
                let first = try await store.put(["a": [1]], in: "r")
                _ = try await store.put(["a": [1]], in: "other")
                var edit = RecordEdit([], known: (["a"], first.position), bound: .mebibytes(1))
                let seen = Seen()
                let second = try await store.edit(edit, in: "r") { found in
                    seen.note(found)
                    return RecordChanges(puts: [.init("b", [2], isMarked: true)])
                }
                try expect(seen.last?.records, is: [:])
                try expect(second.former, is: first.position)
                edit.readsMarked = true
                _ = try await store.edit(edit, in: "r") { found in
                    seen.note(found)
                    return RecordChanges()
                }
                try expect(seen.last?.records, is: ["a": [1], "b": [2]])
            },
            Self("changes since a position are returned once, and a gap after a removal") { store, _ in
                let first = try await store.put(["a": [1], "b": [1]], in: "r")
                try expect(
                    try store.changes(after: first.position, in: "r", limit: 9),
                    is: RecordChangeSet(keys: [], hasGap: false, position: first.position)
                )
                _ = try await store.put(["x": [1]], in: "other")
                _ = try await store.put(["a": [2]], in: "r")
                let last = try await store.put(["c": [2]], in: "r")
                try expect(
                    try store.changes(after: first.position, in: "r", limit: 9),
                    is: RecordChangeSet(keys: ["a", "c"], hasGap: false, position: last.position)
                )
                let part = try store.changes(after: first.position, in: "r", limit: 1)
                try expect(part.keys, is: ["a"])
                try expect(try store.changes(after: part.position, in: "r", limit: 9).keys, is: ["c"])
                let removal = try await store.edit(RecordEdit([], bound: .mebibytes(1)), in: "r") { _ in
                    RecordChanges(removals: ["b", "none"])
                }
                let news = try store.changes(after: last.position, in: "r", limit: 9)
                try expect(news, is: RecordChangeSet(keys: [], hasGap: true, position: removal.position))
            },
            Self("changes are returned up to a position, and later ones on request") { store, _ in
                let first = try await store.put(["a": [1]], in: "r")
                let second = try await store.put(["b": [1]], in: "r")
                _ = try await store.put(["c": [1]], in: "r")
                let view = try store.view(of: "r")
                try expect(
                    try view.changes(after: first.position, through: second.position, limit: 9),
                    is: RecordChangeSet(keys: ["b"], hasGap: false, position: second.position)
                )
                try expect(try view.changes(after: second.position, through: .max, limit: 9).keys, is: ["c"])
            },
            Self("a view shows a region at one moment, whatever is written meanwhile") { store, _ in
                let first = try await store.put(["a": [1], "b": [1]], in: "r")
                let view = try store.view(of: "r")
                try expect(try view.records(["a"]), is: ["a": [1]])
                _ = try await store.put(["b": [2], "c": [2]], in: "r")
                try expect(view.position, is: first.position)
                try expect(try view.records(["a", "b", "c"]), is: ["a": [1], "b": [1]])
                try expect(try view.changes(after: first.position, through: .max, limit: 9).keys, is: [])
                try expect(try store.records(["b"], in: "r").records, is: ["b": [2]])
            },
            Self("an edit learns its position before others see its writes") { store, _ in
                let first = try await store.put(["a": [1]], in: "r")
                let told = Mutex<(RecordReceipt, seen: Int64?)?>(nil)
                var edit = RecordEdit([], bound: .mebibytes(1))
                edit.foreseen = { receipt in
                    let seen = try? store.view(of: "r").position
                    told.withLock { $0 = (receipt, seen) }
                }
                let receipt = try await store.edit(edit, in: "r") { _ in RecordChanges(puts: [.init("a", [2])]) }
                try expect(told.withLock { $0?.seen }, is: first.position)
                try expect(told.withLock { $0?.0.former }, is: receipt.former)
                try expect(told.withLock { $0?.0.position }, is: receipt.position)
            },
            Self("a full region evicts the least recently used records, but no pinned ones") { store, _ in
                for key in ["a", "b", "c", "d"] { _ = try await store.put([key: Self.block], in: "r") }
                var edit = RecordEdit([], bound: .bytes(4_500))
                (edit.used, edit.pinned) = (["a"], { ["b"] })
                let receipt = try await store.edit(edit, in: "r") { _ in RecordChanges(puts: [.init("e", Self.block)]) }
                try expect(receipt.evicted, is: 2)
                let left = try store.records(["a", "b", "c", "d", "e"], in: "r").records.keys.sorted()
                try expect(left, is: ["a", "b", "e"])
                try expect(try store.recordUsage(of: "r").size.bytes < 4_500, "it holds more than its bound")
                let news = try store.changes(after: receipt.former, in: "r", limit: 9)
                try expect(news, is: RecordChangeSet(keys: ["e"], hasGap: false, position: receipt.position))
            },
            Self("a region with too many pinned records is scanned again only after it has grown") { store, _ in
                let passes = Mutex(0)
                func put(_ key: String, _ bytes: [UInt8]) async throws {
                    var edit = RecordEdit([], bound: .bytes(2_500))
                    edit.pinned = {
                        passes.withLock { $0 += 1 }
                        return ["a", "b", "c"]
                    }
                    _ = try await store.edit(edit, in: "r") { _ in RecordChanges(puts: [.init(key, bytes)]) }
                }
                for key in ["a", "b", "c"] { try await put(key, Self.block) }
                try expect(passes.withLock { $0 }, is: 1)
                for number in 0..<3 { try await put("small \(number)", [1]) }
                try expect(passes.withLock { $0 }, is: 1)
                try await put("large", Self.block)
                try expect(passes.withLock { $0 }, is: 2)
                try expect(try store.records(["small 0", "large"], in: "r").records, is: [:])
            },
            Self("a marked record is read together with the record that it replaces") { store, _ in
                _ = try await store.put(["new": [2], "other": [3]], in: "r")
                _ = try await store.edit(RecordEdit([], bound: .mebibytes(1)), in: "r") { _ in
                    RecordChanges(puts: [.init("old", [1], isMarked: true)])
                }
                var edit = RecordEdit([], bound: .mebibytes(1))
                edit.readsMarked = true
                edit.successor = { $0 == "old" ? "new" : nil }
                let seen = Seen()
                _ = try await store.edit(edit, in: "r") { found in
                    seen.note(found)
                    return RecordChanges()
                }
                try expect(seen.last?.records, is: ["old": [1], "new": [2]])
            },
            Self("all records of a region are read in key order") { store, _ in
                for number in 0..<40 {
                    _ = try await store.put(["k\(number)": [UInt8](repeating: 1, count: 100_000)], in: "r")
                }
                var (keys, after): ([String], String?) = ([], nil)
                while true {
                    let page = try store.records(of: "r", after: after, limit: 16).records.keys.sorted()
                    guard let last = page.last else { break }
                    keys += page
                    after = last
                }
                try expect(keys, is: (0..<40).map { "k\($0)" }.sorted())
            },
            Self("regions are removed by name prefix, and then start after all earlier positions") {
                store,
                _ in
                let first = try await store.put(["a": [1]], in: "u/1")
                _ = try await store.put(["a": [1]], in: "v")
                try expect(try await store.forgetRecords(ofRegionsBeginning: "u/"), is: 1)
                try expect(try store.records(["a"], in: "u/1").records, is: [:])
                try expect(try store.changes(after: first.position, in: "u/1", limit: 9).hasGap, is: true)
                let second = try await store.put(["b": [1]], in: "u/1")
                try expect(second.position > first.position, "a position was given twice")
                try expect(try store.changes(after: first.position, in: "u/1", limit: 9).hasGap, is: true)
                try expect(try store.recordUsage(of: "v").entries, is: 1)
            },
            Self("a removal of regions is visible in later views and transactions, even for missing regions") {
                store,
                _ in
                let before = try store.records(["a"], in: "u/1").clearing
                _ = try await store.put(["a": [1]], in: "u/1")
                let held = try store.view(of: "u/1")
                try expect(held.clearing, is: before)
                _ = try await store.forgetRecords(ofRegionsBeginning: "u/")
                try expect(held.clearing, is: before)
                let after = try store.records(["a"], in: "u/1").clearing
                try expect(after > before, "the removal is not seen")
                let seen = Seen()
                _ = try await store.edit(RecordEdit(["a"], bound: .mebibytes(1)), in: "u/1") { found in
                    seen.note(found)
                    return RecordChanges()
                }
                try expect(seen.last?.clearing, is: after)
                try expect(try store.records(of: "u/1", after: nil, limit: 1).clearing, is: after)
            },
            Self("a wait for records ends with a change of their region only") { store, _ in
                let first = try await store.put(["a": [1]], in: "r")
                async let changed = store.recordsChanged(after: first.position, in: "r")
                _ = try await store.put(["a": [1]], in: "other")
                let second = try await store.put(["a": [2]], in: "r")
                try expect(try await changed, is: second.position)
            },
            Self("a position check shows whether anything was written") { store, _ in
                let before = store.recordGlance()
                try expect(before == store.recordGlance(), "nothing was written")
                _ = try await store.put(["a": [1]], in: "r")
                try expect(before != store.recordGlance(), "something was written")
            },
            Self("sealed records are read back as written") { store, _ in
                var edit = RecordEdit([], bound: .mebibytes(1))
                edit.isSealed = true
                _ = try await store.edit(edit, in: "r") { _ in RecordChanges(puts: [.init("a", [1, 2])]) }
                try expect(try store.records(["a"], in: "r").records, is: ["a": [1, 2]])
                try expect(try store.records(of: "r", after: nil, limit: 1).records, is: ["a": [1, 2]])
            },
        ]
    }

    private static var block: [UInt8] { [UInt8](repeating: 7, count: 1_000) }
}

extension RecordStore {
    fileprivate func changes(after position: Int64, in region: String, limit: Int) throws -> RecordChangeSet {
        try view(of: region).changes(after: position, through: .max, limit: limit)
    }

    fileprivate func put(_ records: [String: [UInt8]], in region: String) async throws -> RecordReceipt {
        try await edit(RecordEdit([], bound: .mebibytes(16)), in: region) { _ in
            RecordChanges(puts: records.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
        }
    }
}

/// The keys that an edit has seen.
private final class Seen: Sendable {
    private let found = Mutex<FoundRecords?>(nil)

    func note(_ records: FoundRecords) { found.withLock { $0 = records } }

    var last: FoundRecords? { found.withLock { $0 } }
}
