import Testing
import WireConfig
import WireSecurityContract
import WireService
import WireTelemetry
import Workbench

@testable import WireSecurity

@Suite("Results of security rules")
struct WatchTests {
    /// Rules of which one sees nothing, one finds a secret in the file, and one finds nothing.
    private static func present(_ bench: Workbench, _ metrics: String) throws -> Watch.Present {
        let section = try SectionInFile<SecuritySection>(
            file: """
                version: 1
                app: { id: com.example.tasks, version: 1.4.0 }
                environments:
                  prod: { baseUrl: "https://api.example.com" }
                environment: prod
                metrics: { url: "https://metrics.example.com/metrics" }
                security:
                  baseline: false
                  rules: { debugger: {}, clearSecrets: {}, weakSettings: {} }
                \(metrics)

                """,
            environment: "prod"
        )
        let integrity = FileIntegrity(
            files: [],
            state: "",
            secretsInClear: [FileIntegrity.Setting("a secret", origin: nil)],
            weakSettings: []
        )
        let host: ServiceHost = bench.host(
            for: section,
            offering: [
                Ability<any MachineProbes>.machineProbes.offered(by: KnownProbes()),
                Ability<FileIntegrityReader>.fileIntegrity.offered(by: FileIntegrityReader { integrity }),
            ]
        )
        return Watch.Present(section.settings, host)
    }

    private static let results = [
        SecurityResult(id: "clearSecrets", name: "Secrets In Clear Check", isDetected: true),
        SecurityResult(id: "weakSettings", name: "Weak Settings Check", isDetected: false),
    ]

    @Test(
        "results are sent as metrics unless the file disables that; inconclusive ones never",
        arguments: [("", true), ("  metrics: true", true), ("  metrics: false", false)]
    )
    func passedOn(metrics: String, isPassedOn: Bool) async throws {
        let bench = try Workbench()
        let watch = Watch(try Self.present(bench, metrics))
        var early = watch.results().makeAsyncIterator()
        #expect(await early.next() == [])
        try await watch.begin()
        try #require(watch.verdicts.map(\.applied.name) == ["debugger", "clearSecrets", "weakSettings"])
        #expect(watch.verdicts.map(\.outcome) == [.inconclusive, .detected, .clear])
        let expected = isPassedOn ? Self.results : []
        // Who listens already is told, and so is who comes afterwards.
        #expect(await early.next() == expected)
        var late = watch.results().makeAsyncIterator()
        #expect(await late.next() == expected)
        watch.finish()
    }

    @Test("a first finding is reported, a first pass is not")
    func firstLook() async throws {
        let bench = try Workbench()
        let watch = Watch(try Self.present(bench, ""))
        try await watch.begin()
        let told = bench.events(named: "security.changed").map { $0.data["id"]?.string }
        #expect(told == ["debugger", "clearSecrets"])
        watch.finish()
    }

    @Test("a changed metrics setting applies at once")
    func changed() async throws {
        let bench = try Workbench()
        let watch = Watch(try Self.present(bench, ""))
        try await watch.begin()
        var heard = watch.results().makeAsyncIterator()
        #expect(await heard.next() == Self.results)
        watch.update(try Self.present(bench, "  metrics: false"))
        #expect(await heard.next() == [])
        watch.update(try Self.present(bench, "  metrics: true"))
        #expect(await heard.next() == Self.results)
        watch.finish()
    }
}
