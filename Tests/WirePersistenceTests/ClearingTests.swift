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
}
