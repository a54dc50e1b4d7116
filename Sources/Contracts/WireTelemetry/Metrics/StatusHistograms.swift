import Synchronization

/// Response times by status class; the series are looked up once, and observing is lock-free.
package final class StatusHistograms: Sendable {
    private final class Slot: Sendable {
        let histogram = AtomicLazyReference<Histogram>()
    }

    private let family: MetricFamily<Histogram>
    private let labels: [String]
    private let slots = (0...5).map { _ in Slot() }

    /// Makes histograms of a family whose last label is the status class, for the values of the other labels.
    package init(_ family: MetricFamily<Histogram>, _ labels: String...) {
        (self.family, self.labels) = (family, labels)
    }

    /// Observes a duration; nil means that there was no response.
    package func observe(_ duration: Duration, status: Int?) {
        let digit = status.map { $0 / 100 } ?? 0
        let index = slots.indices.contains(digit) ? digit : 0
        let slot = slots[index]
        let histogram =
            slot.histogram.load()
            ?? slot.histogram.storeIfNil(family.with(labels + [index == 0 ? "none" : "\(index)xx"]))
        histogram.observe(duration)
    }
}
