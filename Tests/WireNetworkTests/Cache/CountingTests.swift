import Support
import Testing
import WireHTTP
import WireNetworkContract
import WireTelemetry

@testable import WireNetwork

@Suite("Metrics of the HTTP cache")
struct CountingTests {
    @Test("each response is counted by the cache's part in it")
    func outcomes() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Cache-Control": "max-age=10", "ETag": "\"1\""], "one")
        _ = try await bench.ask()
        _ = try await bench.ask()
        _ = try await bench.ask()
        _ = try await bench.ask(policy: OfflinePolicy.none)
        bench.clock.pass(.seconds(11))
        bench.serve(304, ["ETag": "\"1\""])
        _ = try await bench.ask()
        bench.clock.pass(.seconds(60))
        bench.fail()
        _ = try await bench.ask()
        for (outcome, count) in [("miss", 1.0), ("hit", 2), ("bypass", 1), ("confirmed", 1), ("stale", 1)] {
            #expect(
                await bench.metric("corewire_network_cache_answers_total{outcome=\"\(outcome)\"}") == count,
                "\(outcome)"
            )
        }
    }

    @Test("the size of the cache is reported while the service runs")
    func stored() async throws {
        let bench = try CacheBench()
        bench.serve(200, ["Cache-Control": "max-age=60"], "hello")
        _ = try await bench.ask()
        do {
            let readers = NetworkMetrics.stored(bench.metrics, bench.stage.responseCache, by: bench.clock.clockwork)
            defer { withExtendedLifetime(readers) {} }
            #expect(await bench.metric("corewire_network_cache_entries") == 2)
            #expect(try await #require(bench.metric("corewire_network_cache_bytes")) > 5)
        }
        #expect(await bench.metric("corewire_network_cache_entries") == nil)
    }
}
