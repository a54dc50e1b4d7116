import Foundation
import Support
import Synchronization
import Testing
import WireTelemetry

@Suite("Metrics")
struct MetricsTests {
    @Test("an example of every kind is written as documented")
    func text() async {
        #expect(
            await Self.example().text(.prometheus) == """
                # HELP corewire_build_info The program.
                # TYPE corewire_build_info gauge
                corewire_build_info{version="1.4.0",commit="abc"} 1
                # HELP corewire_http_open_connections Connections now.
                # TYPE corewire_http_open_connections gauge
                corewire_http_open_connections 3
                # HELP corewire_http_request_duration_seconds Time to answer.
                # TYPE corewire_http_request_duration_seconds histogram
                corewire_http_request_duration_seconds_bucket{le="0.1"} 1
                corewire_http_request_duration_seconds_bucket{le="1.0"} 2
                corewire_http_request_duration_seconds_bucket{le="+Inf"} 3
                corewire_http_request_duration_seconds_sum 2.75
                corewire_http_request_duration_seconds_count 3
                # HELP corewire_http_requests_total Requests "answered"\\nor \\\\ refused.
                # TYPE corewire_http_requests_total counter
                corewire_http_requests_total{method="GET",path="a\\"b\\\\\\\\u{a}corewire_forged 1\\\\u{7f}"} 2
                corewire_http_requests_total{method="POST",path="/"} 1
                # HELP corewire_store_size_bytes Size.
                # TYPE corewire_store_size_bytes gauge
                corewire_store_size_bytes 1024.5

                """
        )
    }

    @Test("OpenMetrics names counters and info without suffix, and has an end mark")
    func openMetrics() async {
        let text = await Self.example().text(.openMetrics)
        #expect(text.contains("# TYPE corewire_build info\ncorewire_build_info{"))
        #expect(text.contains("# TYPE corewire_http_requests counter\ncorewire_http_requests_total{"))
        #expect(text.contains(#"# HELP corewire_http_requests Requests \"answered\"\nor \\ refused."#))
        #expect(text.hasSuffix("\n# EOF\n"))
    }

    @Test("promtool reports no problems", .enabled(if: Program.isInstalled("promtool")))
    func promtool() async throws {
        let metrics = Self.example()
        let readers = metrics.process { Self.facts }
        let run = try await Program.run("promtool", ["check", "metrics"], input: Data(metrics.text(.prometheus).utf8))
        #expect(run.status == 0 && run.everything.isEmpty, "\(run.everything)")
        #expect(readers.count == 7)
    }

    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path

    @Test(
        "prometheus-client parses the same values",
        .enabled(if: FileManager.default.isExecutableFile(atPath: python)),
        arguments: MetricsFormat.allCases
    )
    func client(format: MetricsFormat) async throws {
        let metrics = Self.example()
        let readers = metrics.process { Self.facts }
        let script = Repository.root.appendingPathComponent("Tests/WireTelemetryTests/read-metrics").path
        let run = try await Program.run(Self.python, [script, "\(format)"], input: Data(metrics.text(format).utf8))
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output.contains(
                #"corewire_http_requests_total{method='GET',path='a"b\\\\u{a}corewire_forged 1\\u{7f}'} 2"#
            )
        )
        #expect(!run.output.contains("\ncorewire_forged"))
        #expect(run.output.contains("corewire_http_request_duration_seconds_bucket{le='+Inf'} 3\n"))
        #expect(run.output.contains("process_cpu_seconds_total{} 1.5\n"))
        #expect(run.output.contains("corewire_build_info{commit='abc',version='1.4.0'} 1\n"))
        withExtendedLifetime(readers) {}
    }

    @Test("over its limit a metric has one overflow series, which is counted")
    func overflow() async {
        let metrics = Metrics()
        let family = metrics.counters("corewire_test_events", "Events.", by: ["name"], upTo: 2)
        for name in ["a", "b", "c", "d", "a"] { family.with(name).add() }
        let text = await metrics.text(.prometheus)
        #expect(text.contains("corewire_test_events_total{name=\"a\"} 2\n"))
        #expect(text.contains("corewire_test_events_total{name=\"overflow\"} 2\n"))
        #expect(text.contains("corewire_metrics_overflown_total{metric=\"corewire_test_events\"} 2\n"))
        #expect(!text.contains("name=\"c\""))
    }

    @Test("declaring a metric again returns the existing one")
    func again() {
        let metrics = Metrics()
        metrics.counter("corewire_test_events", "Events.").add(2)
        #expect(metrics.counter("corewire_test_events", "Events.").value == 2)
    }

    @Test("declaring a metric differently traps")
    func differently() async {
        await #expect(processExitsWith: .failure) {
            let metrics = Metrics()
            _ = metrics.counter("corewire_test_events", "Events.")
            _ = metrics.gauge("corewire_test_events", "Events.")
        }
    }

    @Test("a reader is called while it is registered, the latest first")
    func readers() async {
        let metrics = Metrics()
        var old: MetricReader? = metrics.gauge("corewire_test_depth", "Depth.") { [MetricReading(1)] }
        var new: MetricReader? = metrics.gauge("corewire_test_depth", "Depth.") {
            [MetricReading(2), MetricReading(9)]
        }
        #expect(await metrics.text(.prometheus).hasSuffix("corewire_test_depth 2\n"))
        old = nil
        #expect(await metrics.text(.prometheus).hasSuffix("corewire_test_depth 2\n"))
        new = nil
        #expect(await metrics.text(.prometheus) == "")
        withExtendedLifetime((old, new)) {}
    }

    @Test("a shared reading is cached for a while, and read again after a change")
    func shared() async {
        let clock = HandClock()
        let looks = Mutex(0)
        let reading = SharedReading<Int>(for: .seconds(10), by: clock.clockwork) {
            looks.withLock { looks in
                looks += 1
                return looks
            }
        }
        for _ in 1...2 { #expect(await reading.value == 1) }
        clock.pass(.seconds(10) - .milliseconds(1))
        #expect(await reading.value == 1)
        clock.pass(.milliseconds(1))
        for _ in 1...2 { #expect(await reading.value == 2) }
        reading.forget()
        for _ in 1...2 { #expect(await reading.value == 3) }
    }

    @Test("concurrent counts are not lost")
    func threads() async {
        let metrics = Metrics()
        let counter = metrics.counter("corewire_test_events", "Events.")
        let gauge = metrics.gauge("corewire_test_depth", "Depth.")
        let histogram = metrics.histogram("corewire_test_wait_seconds", "Waits.")
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<20_000 {
                counter.add()
                gauge.add(0.5)
                histogram.observe(.milliseconds(500))
            }
        }
        let text = await metrics.text(.prometheus)
        #expect(text.contains("\ncorewire_test_events_total 160000\n"))
        #expect(text.contains("\ncorewire_test_depth 80000\n"))
        #expect(text.contains("_bucket{le=\"0.5\"} 160000\n"))
        #expect(text.contains("_sum 80000\n"))
    }

    @Test(
        "numbers have the syntax of the format",
        arguments: [
            (0.0, "0"), (-1.5, "-1.5"), (1e300, "1e+300"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
        ]
    )
    func numbers(number: Double, text: String) async {
        let metrics = Metrics()
        metrics.gauge("corewire_test_number", "A number.").set(number)
        #expect(await metrics.text(.prometheus).hasSuffix("corewire_test_number \(text)\n"))
    }

    @Test(
        "a scraper gets its preferred format",
        arguments: [
            (nil, MetricsFormat.prometheus), ("", .prometheus), ("*/*", .prometheus),
            ("text/html, ;q=, ,;", .prometheus),
            ("text/plain;version=0.0.4", .prometheus), ("application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text;q=0", .prometheus),
            ("application/openmetrics-text; version=1.0.0;q=0.5, text/plain;q=0.6", .prometheus),
            (
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                    + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", .openMetrics
            ),
        ]
    )
    func negotiation(accept: String?, format: MetricsFormat) {
        #expect(MetricsFormat(accepting: accept) == format)
    }

    static let facts = ProcessFacts(
        residentBytes: 10_000_000,
        virtualBytes: 100_000_000,
        cpu: .milliseconds(1_500),
        openDescriptors: 7,
        maximalDescriptors: 1_024,
        threads: 3,
        started: 1_772_323_199_999
    )

    static func example() -> Metrics {
        let metrics = Metrics()
        metrics.inform("corewire_build", "The program.", ["version": "1.4.0", "commit": "abc"])
        let requests = metrics.counters(
            "corewire_http_requests",
            "Requests \"answered\"\nor \\ refused.",
            by: ["method", "path"]
        )
        requests.with("POST", "/").add()
        requests.with("GET", "a\"b\\\ncorewire_forged 1\u{7f}").add(2)
        metrics.gauge("corewire_http_open_connections", "Connections now.").set(3)
        metrics.gauge("corewire_store_size_bytes", "Size.").set(1_024.5)
        let durations = metrics.histogram(
            "corewire_http_request_duration_seconds",
            "Time to answer.",
            in: Buckets([0.1, 1])
        )
        for seconds in [0.0625, 0.6875, 2] { durations.observe(seconds) }
        return metrics
    }
}
