import Synchronization

/// All series of one metric, by their label values.
///
/// Beyond the limit of series, new ones are counted in a single series whose labels are all `overflow`. Label values
/// may come from outside; label names must not.
package final class MetricFamily<Instrument: Sendable>: Sendable {
    let declaration: MetricDeclaration
    private let limit: Int
    private let make: @Sendable () -> Instrument
    private let overflow: @Sendable () -> Void
    private let series = Mutex<[[String]: Instrument]>([:])

    init(
        _ declaration: MetricDeclaration,
        limit: Int,
        overflow: @escaping @Sendable () -> Void,
        make: @escaping @Sendable () -> Instrument
    ) {
        self.declaration = declaration
        self.limit = limit
        self.overflow = overflow
        self.make = make
    }

    /// The series for label values in the declared order; callers cache it for frequent use.
    package func with(_ values: String...) -> Instrument { with(values) }

    func with(_ values: [String]) -> Instrument {
        precondition(values.count == declaration.labels.count, "\(declaration.name) has a different number of labels")
        let (instrument, hasOverflown) = series.withLock { series in
            if let known = series[values] { return (known, false) }
            let hasOverflown = series.count >= limit
            let key = hasOverflown ? declaration.labels.map { _ in MetricDeclaration.overflow } : values
            if let known = series[key] { return (known, hasOverflown) }
            let made = make()
            series[key] = made
            return (made, hasOverflown)
        }
        if hasOverflown { overflow() }
        return instrument
    }

    /// All series in a stable order.
    var all: [(values: [String], instrument: Instrument)] {
        series.withLock { $0.map { (values: $0.key, instrument: $0.value) } }
            .sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }
}

/// The declaration of a metric.
struct MetricDeclaration: Sendable, Equatable {
    /// The type of a metric, in the words of the format.
    enum Kind: String, Sendable {
        case counter, gauge, histogram, info
    }

    /// The label value of the overflow series.
    static let overflow = "overflow"

    let name: String
    let kind: Kind
    let help: String
    let labels: [String]

    /// Declares a metric by its name without the suffix of its type (`_total`, `_info`), which the format adds.
    init(_ name: String, _ kind: Kind, _ help: String, _ labels: [String]) {
        precondition(Self.isName(name) && labels.allSatisfy(Self.isName), "\(name) is not a valid metric name")
        precondition(
            !["_total", "_info", "_bucket", "_sum", "_count"].contains { name.hasSuffix($0) },
            "\(name) must not end in a suffix of the format"
        )
        precondition(!labels.contains("le") && Set(labels).count == labels.count, "labels of \(name) clash")
        (self.name, self.kind, self.help, self.labels) = (name, kind, help, labels)
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains($0) }
    }
}
