import WireBase

/// The text formats of metrics.
package enum MetricsFormat: Sendable, CaseIterable {
    /// The Prometheus text format, version 0.0.4.
    case prometheus
    /// OpenMetrics, version 1.0.0.
    case openMetrics

    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The format for an `Accept` field: OpenMetrics only where it is named with the highest weight.
    package init(accepting field: String?) {
        var quality: [Substring: Double] = [:]
        for range in (field ?? "").lowercased().split(separator: ",").prefix(32) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            quality[type[...], default: 0] = max(quality[type[...]] ?? 0, weight)
        }
        let open = quality["application/openmetrics-text"] ?? 0
        let plain = quality["text/plain"] ?? quality["text/*"] ?? 0
        self = open > 0 && open >= plain ? .openMetrics : .prometheus
    }
}

/// Writes metrics as text.
struct MetricsPage {
    private let format: MetricsFormat
    private var text = ""

    init(_ format: MetricsFormat) {
        self.format = format
    }

    /// The complete text.
    var finished: String { format == .openMetrics ? text + "# EOF\n" : text }

    /// Begins a metric; the following samples belong to it.
    mutating func begin(_ declaration: MetricDeclaration) {
        // The older format has no type for facts, and includes the suffix in the name.
        let isOld = format == .prometheus
        let name = declaration.name + (isOld ? Self.suffix(of: declaration.kind) : "")
        let kind = isOld && declaration.kind == .info ? .gauge : declaration.kind
        text += "# HELP \(name) \(escaped(declaration.help, quotes: !isOld))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ declaration: MetricDeclaration, _ values: [String], _ value: Double) {
        line(
            declaration.name + Self.suffix(of: declaration.kind),
            Array(zip(declaration.labels, values)),
            Self.number(value)
        )
    }

    mutating func histogram(_ declaration: MetricDeclaration, _ values: [String], _ histogram: Histogram) {
        let labels = Array(zip(declaration.labels, values))
        let (counts, sum) = histogram.cumulative
        let bounds = histogram.bounds.upperBounds.map { "\($0)" } + ["+Inf"]
        for (bound, count) in zip(bounds, counts) {
            line(declaration.name + "_bucket", labels + [("le", bound)], "\(count)")
        }
        line(declaration.name + "_sum", labels, Self.number(sum))
        line(declaration.name + "_count", labels, "\(counts.last ?? 0)")
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: String) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.0)=\"\(escaped($0.1.shown(upTo: 128), quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(value)\n"
    }

    private func escaped(_ text: String, quotes: Bool) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return quotes ? escaped.replacing("\"", with: "\\\"") : escaped
    }

    private static func suffix(of kind: MetricDeclaration.Kind) -> String {
        switch kind {
        case .counter: "_total"
        case .info: "_info"
        case .gauge, .histogram: ""
        }
    }

    /// A number in the format; whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
