import Synchronization

/// How long answers took, by the class of their status; the series are looked up once and observed without a lock.
package final class StatusHistograms: Sendable {
    private final class Slot: Sendable {
        let histogram = AtomicLazyReference<Histogram>()
    }

    private let family: MetricFamily<Histogram>
    private let labels: [String]
    private let slots = (0...5).map { _ in Slot() }

    /// Of a family whose last label is the class of the status, by the values of those before it.
    package init(_ family: MetricFamily<Histogram>, _ labels: String...) {
        (self.family, self.labels) = (family, labels)
    }

    /// Without a status there was no answer.
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
