import Support
import Testing
import WireBase
import WirePersistence
import WireSQLite
import WireService
import WireStore
import Workbench

@Suite("What apps store is cleared")
struct StateClearingTests {
    private static let section = """
        namespaces:
          maps: { of: device }
          common: { perEnvironment: false }
        """

    @Test("what is of people goes, and what the file says is the device's stays", arguments: ClearingScope.allCases)
    func scopes(scope: ClearingScope) async throws {
        let workshop = try await Workshop(Self.section)
        let service = workshop.service
        let run = Task { try await service.run() }
        for name in ["drafts", "maps", "common"] {
            _ = try await service.put(Array("canary-\(name)".utf8), type: "text/plain", under: "canary-key", in: name)
        }
        // What another environment keeps.
        let value = NewValue([1], type: "")
        _ = try await workshop.bench.store.put(value, under: "k", in: "state/stage/drafts", if: .always)
        let told = try await workshop.bench.clear(scope)
        let left = try await ["drafts", "maps", "common"].asyncCompactMap { name in
            try await service.get("canary-key", in: name) == nil ? nil : name
        }
        let other = try workshop.bench.store.entry("k", in: "state/stage/drafts")
        switch scope {
        case .user: #expect(left == ["maps"] && told["stored values"] == 2 && other != nil)
        case .environment: #expect(told["stored values"] == 3 && left.isEmpty && other != nil)
        case .all: #expect(left.isEmpty && told["stored values"] == 4 && other == nil)
        }
        #expect(try !workshop.bench.holds("canary-drafts"))
        #expect(try await workshop.bench.clear(scope)["stored values"] == 0)
        run.cancel()
    }

    @Test(
        "values of this machine are cleared while the group's store is away, and the clearing says what is left",
        arguments: ClearingScope.allCases
    )
    func away(scope: ClearingScope) async throws {
        let shared = try Workbench()
        let store = AwayStore(shared.store)
        let workshop = try await Workshop("namespaces: { window: { in: device } }", group: store.data)
        let (bench, service) = (workshop.bench, workshop.service)
        let run = Task { try await service.run() }
        for name in ["notes", "window"] { _ = try await service.put([1], type: "", under: "k", in: name) }
        #expect(await eventually { !bench.clearings.all.isEmpty })
        store.isAway = true
        let eraser = Eraser(bench.stores(group: store.data))
        let told = await bench.clearings.clear(scope, with: eraser, bench.clock.clockwork).first
        for what in ["stored values", "namespaces of apps"] {
            #expect(told?.removed?.first { $0.what == what }?.count == 1)
        }
        let left = "the data that the runners of the group share is left: the server cannot be reached"
        #expect(told?.reason == left)
        #expect(workshop.told.all == ["degraded: the store of the group: the server cannot be reached"])
        store.isAway = false
        #expect(try await service.get("k", in: "notes") != nil)
        #expect(try await service.get("k", in: "window") == nil)
        run.cancel()
        try await run.value
        await shared.store.close()
    }
}
