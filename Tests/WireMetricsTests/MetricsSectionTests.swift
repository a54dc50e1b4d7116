import Testing
import WireConfig
import WireMetrics
import Workbench

@Suite("The metrics section")
struct MetricsSectionTests {
    private static let nothing = "metrics.types does not contain 'init', so nothing is sent at these times"
    private static let never = "metrics.types has 'init', which is never sent"

    private static let wishes: [(more: String, warning: String?)] = [
        ("types: [security]", nil), ("types: [security], every: 1d", nothing),
        ("types: [security], atStart: true", nothing), ("types: [security], atStart: false", nil),
        ("types: [security], every: 1d, atStart: false", nothing), ("types: [init]", nil),
        ("types: [init], atStart: false", never), ("types: [init], atStart: false, every: 1d", nil),
        ("types: [init], every: 1d", nil), ("atStart: false", nil), ("every: 1d", nil),
        ("types: [init, init]", "metrics.types has 'init' more than once"),
    ]

    @Test(
        "atStart or every without 'init', and 'init' without either, are warnings",
        arguments: wishes
    )
    func occasions(more: String, warning: String?) throws {
        let text = MetricsBench.file(#"{ url: "https://metrics.example.com/metrics", \#(more) }"#)
        let file = try SectionInFile<MetricsSection>(file: text, environment: "prod")
        #expect(file.warnings.filter { $0.hasPrefix("metrics.") } == (warning.map { [$0] } ?? []))
    }
}
