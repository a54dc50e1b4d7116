/// A metric that can be written to a page.
protocol WrittenFamily: AnyObject, Sendable {
    var declaration: MetricDeclaration { get }
    func write(to page: inout MetricsPage) async
}

/// An instrument of one series.
protocol WrittenInstrument: Sendable {
    func write(_ declaration: MetricDeclaration, _ values: [String], to page: inout MetricsPage)
}

extension MetricFamily: WrittenFamily where Instrument: WrittenInstrument {
    func write(to page: inout MetricsPage) {
        let series = all
        guard !series.isEmpty else { return }
        page.begin(declaration)
        for (values, instrument) in series {
            instrument.write(declaration, values, to: &page)
        }
    }
}

extension ReadFamily: WrittenFamily {
    func write(to page: inout MetricsPage) async {
        let readings = await readings
        guard !readings.isEmpty else { return }
        page.begin(declaration)
        for reading in readings {
            page.sample(declaration, reading.labels, reading.value)
        }
    }
}

extension Counter: WrittenInstrument {
    func write(_ declaration: MetricDeclaration, _ values: [String], to page: inout MetricsPage) {
        page.sample(declaration, values, Double(value))
    }
}

extension Gauge: WrittenInstrument {
    func write(_ declaration: MetricDeclaration, _ values: [String], to page: inout MetricsPage) {
        page.sample(declaration, values, value)
    }
}

extension Histogram: WrittenInstrument {
    func write(_ declaration: MetricDeclaration, _ values: [String], to page: inout MetricsPage) {
        page.histogram(declaration, values, self)
    }
}
