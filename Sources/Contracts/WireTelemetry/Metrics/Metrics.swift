import Synchronization

/// The registry of all metrics of a process, declared by name and written on request.
///
/// Names have the form `corewire_<part>_<what>_<unit>`, without the suffix of their type. Declaring a metric again, as
/// each generation does, returns the existing one; a different declaration is a programming error and stops the
/// process.
package final class Metrics: Sendable {
    /// The default maximum number of series per metric.
    package static let usualLimit = 100

    private let families = Mutex<[String: any WrittenFamily]>([:])
    private let overflown: MetricFamily<Counter>

    package init() {
        overflown = MetricFamily(
            MetricDeclaration(
                "corewire_metrics_overflown",
                .counter,
                "Observations counted in an overflow series.",
                ["metric"]
            ),
            // One series per metric.
            limit: 10_000,
            overflow: {},
            make: Counter.init
        )
        families.withLock { $0[overflown.declaration.name] = overflown }
    }

    package func counter(_ name: String, _ help: String) -> Counter {
        counters(name, help, by: []).with([])
    }

    package func gauge(_ name: String, _ help: String) -> Gauge {
        gauges(name, help, by: []).with([])
    }

    package func histogram(_ name: String, _ help: String, in buckets: Buckets = .durations) -> Histogram {
        histograms(name, help, by: [], in: buckets).with([])
    }

    package func counters(
        _ name: String,
        _ help: String,
        by labels: [String],
        upTo limit: Int = usualLimit
    ) -> MetricFamily<Counter> {
        family(MetricDeclaration(name, .counter, help, labels), limit, Counter.init)
    }

    package func gauges(
        _ name: String,
        _ help: String,
        by labels: [String],
        upTo limit: Int = usualLimit
    ) -> MetricFamily<Gauge> {
        family(MetricDeclaration(name, .gauge, help, labels), limit, Gauge.init)
    }

    package func histograms(
        _ name: String,
        _ help: String,
        by labels: [String],
        in buckets: Buckets = .durations,
        upTo limit: Int = usualLimit
    ) -> MetricFamily<Histogram> {
        family(MetricDeclaration(name, .histogram, help, labels), limit) { Histogram(buckets) }
    }

    /// Publishes constant facts as labels: `corewire_build_info{version="1.4.0"} 1`.
    package func inform(_ name: String, _ help: String, _ facts: KeyValuePairs<String, String>) {
        let declaration = MetricDeclaration(name, .info, help, facts.map(\.key))
        family(declaration, 1, Gauge.init).with(facts.map(\.value)).set(1)
    }

    /// Registers a gauge that is read on demand, as long as the returned reader is held.
    package func gauge(
        _ name: String,
        _ help: String,
        by labels: [String] = [],
        read: @escaping @Sendable () async -> [MetricReading]
    ) -> MetricReader {
        reader(MetricDeclaration(name, .gauge, help, labels), read)
    }

    /// Registers a counter that is read on demand, as long as the returned reader is held.
    package func counter(
        _ name: String,
        _ help: String,
        by labels: [String] = [],
        read: @escaping @Sendable () async -> [MetricReading]
    ) -> MetricReader {
        reader(MetricDeclaration(name, .counter, help, labels), read)
    }

    /// All metrics in a format; readers are called now.
    package func text(_ format: MetricsFormat) async -> String {
        let families = families.withLock { Array($0.values) }.sorted { $0.declaration.name < $1.declaration.name }
        var page = MetricsPage(format)
        for family in families {
            await family.write(to: &page)
        }
        return page.finished
    }

    private func family<Instrument: WrittenInstrument>(
        _ declaration: MetricDeclaration,
        _ limit: Int,
        _ make: @escaping @Sendable () -> Instrument
    ) -> MetricFamily<Instrument> {
        let made = MetricFamily(declaration, limit: limit, overflow: noteOverflow(of: declaration.name), make: make)
        return register(made)
    }

    private func reader(_ declaration: MetricDeclaration, _ read: @escaping @Sendable () async -> [MetricReading])
        -> MetricReader
    {
        register(ReadFamily(declaration)).add(read)
    }

    private func register<Family: WrittenFamily>(_ made: Family) -> Family {
        families.withLock { families in
            guard let known = families[made.declaration.name] else {
                families[made.declaration.name] = made
                return made
            }
            guard let same = known as? Family, known.declaration == made.declaration else {
                preconditionFailure("\(made.declaration.name) has two different declarations")
            }
            return same
        }
    }

    private func noteOverflow(of name: String) -> @Sendable () -> Void {
        { [overflown] in overflown.with([name]).add() }
    }
}
