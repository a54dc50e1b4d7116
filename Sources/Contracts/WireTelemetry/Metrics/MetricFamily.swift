import Synchronization

/// All series of one metric, told apart by the values of its labels.
///
/// Past its bound of series, whatever is new is counted in one series whose labels all say `overflow`. The value of a
/// label may come from outside; its name may not.
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

    /// The series of these values, one for each label in the declared order; what is asked often is kept by who asks.
    package func with(_ values: String...) -> Instrument { with(values) }

    func with(_ values: [String]) -> Instrument {
        precondition(values.count == declaration.labels.count, "\(declaration.name) has other labels")
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

    /// The series there are, in a lasting order.
    var all: [(values: [String], instrument: Instrument)] {
        series.withLock { $0.map { (values: $0.key, instrument: $0.value) } }
            .sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }
}

/// What is said once about a metric.
struct MetricDeclaration: Sendable, Equatable {
    /// How a metric behaves, in the words of the format.
    enum Kind: String, Sendable {
        case counter, gauge, histogram, info
    }

    /// The value of every label in the series that takes what is too much.
    static let overflow = "overflow"

    let name: String
    let kind: Kind
    let help: String
    let labels: [String]

    /// Takes the name without the suffix of its kind (`_total`, `_info`), which the format adds.
    init(_ name: String, _ kind: Kind, _ help: String, _ labels: [String]) {
        precondition(Self.isName(name) && labels.allSatisfy(Self.isName), "\(name) is no name of a metric")
        precondition(
            !["_total", "_info", "_bucket", "_sum", "_count"].contains { name.hasSuffix($0) },
            "\(name) ends in a suffix of the format"
        )
        precondition(!labels.contains("le") && Set(labels).count == labels.count, "labels of \(name) clash")
        (self.name, self.kind, self.help, self.labels) = (name, kind, help, labels)
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains($0) }
    }
}
