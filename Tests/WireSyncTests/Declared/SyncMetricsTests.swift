import Support
import Testing
import WireConfig
import WireSync
import WireTelemetry
import Workbench

@Suite("Metrics of sync")
struct SyncMetricsTests {
    @Test(
        "queries are counted by source, requests by outcome, and subscriptions and cache size are measured"
    )
    func numbers() async throws {
        let bench = try await LiveBench("subscriptions: { NewTask: {} }")
        bench.server.answer { _ in .members(["data": .members(["version": .integer(1)])]) }
        #expect(await bench.passing { bench.server.streams.count == 1 })
        for policy in ["networkOnly", "cacheOnly", "cacheOnly"] { _ = try await bench.query("Version", policy) }
        _ = try await bench.query("OneTask", "cacheOnly", .members(["id": .string("1")]))
        bench.server.set(online: false)
        _ = try await bench.query("Version", "networkFirst")
        let text = await bench.bench.metrics.text(.openMetrics)
        for line in [
            #"corewire_sync_queries_total{result="miss"} 1"#, #"corewire_sync_queries_total{result="hit"} 2"#,
            #"corewire_sync_queries_total{result="stale"} 1"#, #"corewire_sync_queries_total{result="failed"} 1"#,
            #"corewire_sync_requests_total{outcome="ok"} 1"#, #"corewire_sync_requests_total{outcome="offline"} 1"#,
            #"corewire_sync_subscriptions{of="file"} 1"#, #"corewire_sync_subscriptions{of="callers"} 0"#,
        ] {
            #expect(text.contains(line), "\(line) in \(text.split(separator: "\n").filter { $0.contains("_sync_") })")
        }
        let bytes = text.split(separator: "\n").first { $0.hasPrefix("corewire_sync_cache_bytes ") }
        #expect(bytes.flatMap { Double($0.split(separator: " ")[1]) } ?? 0 > 0)
        await bench.end()
    }
}
