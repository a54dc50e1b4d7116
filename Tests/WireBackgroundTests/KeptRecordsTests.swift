import Testing
import WireBase
import WireHTTP
import WireSQLite
import WireService
import WireStore
import Workbench

@Suite("Records in the store")
struct KeptRecordsTests {
    private let workbench: Workbench
    private let records: KeptRecords<Tally>

    init() throws {
        workbench = try Workbench()
        records = KeptRecords(in: workbench.store, namespace: "corewire/test", prefix: "a/", of: "tally")
    }

    @Test("a change that another writer was quicker than is made again, upon what that one wrote")
    func conflict() async throws {
        _ = try await records.put(Tally(count: 1), of: "x", after: nil)
        let version = try records.version(of: "x")
        // A writer with an older version is refused, and 'edit' reads anew.
        _ = try await records.edit("x") { $0?.count += 10 }
        await #expect(throws: StoreFailure.self) { try await records.put(Tally(count: 5), of: "x", after: version) }
        #expect(try records.read("x")?.record == Tally(count: 11))
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try await records.edit("x") { $0?.count += 1 } } }
            try await group.waitForAll()
        }
        #expect(try records.read("x")?.record == Tally(count: 31))
    }

    @Test("what stays the same is not written, and nil removes")
    func unchanged() async throws {
        _ = try await records.put(Tally(count: 1), of: "x", after: nil)
        let version = try records.version(of: "x")
        #expect(try await records.edit("x") { $0?.count } == 1)
        #expect(try records.version(of: "x") == version)
        _ = try await records.edit("x") { $0 = nil }
        #expect(try records.read("x") == nil)
        _ = try await records.edit("x") { $0 = nil }
        #expect(try records.version(of: "x") == nil)
    }

    @Test(
        "one of a newer version or without what it must have is an error that names it, and stays as it is",
        arguments: [
            (#"{"version":2,"count":1}"#, StoreFailure.Kind.newer, "'/version': found version 2, expected 1"),
            (#"{"count":1}"#, .corrupt, "'/version': 'version' is missing"),
            (#"{"version":1}"#, .corrupt, "'/count': 'count' is missing"),
            (#"{"version":1,"count":"x"}"#, .corrupt, "'/count': 'count': found text, expected a whole number"),
            ("{", .corrupt, ""),
        ]
    )
    func unreadable(text: String, kind: StoreFailure.Kind, detail: String) async throws {
        let bytes = Array(text.utf8)
        _ = try await workbench.store.put(
            NewValue(bytes, type: "application/json"),
            under: "a/x",
            in: "corewire/test",
            if: .absent
        )
        await #expect {
            try await records.edit("x") { $0 = Tally(count: 0) }
        } throws: { error in
            let failure = error as? StoreFailure
            return failure?.kind == kind && failure?.reason.contains("tally 'x'") ?? false
                && failure?.reason.contains(detail) ?? false
        }
        #expect(try workbench.store.entry("a/x", in: "corewire/test")?.bytes == bytes)
    }

    @Test("all names of the prefix are told, beyond a page, and no others")
    func names() async throws {
        let expected = (100..<400).map { "n\($0)" }
        for name in expected { _ = try await records.put(Tally(count: 0), of: name, after: nil) }
        let others = KeptRecords<Tally>(in: workbench.store, namespace: "corewire/test", prefix: "b/", of: "tally")
        _ = try await others.put(Tally(count: 0), of: "other", after: nil)
        var names: [String] = []
        try await records.eachName { names.append($0) }
        #expect(names == expected)
    }
}

private struct Tally: JSONRecord, Equatable {
    var count: Int
    static let form = JSONForm<Self>("Tally", "A number.", version: 1)
}

extension Tally {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        count = try members.required("count", \.count, "The number.")
    }
}
