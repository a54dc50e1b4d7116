import Synchronization
import WireBase

/// A monotonic counter; lock-free.
package final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    init() {}

    package func add(_ amount: Int = 1) {
        precondition(amount >= 0, "a counter cannot decrease")
        count.wrappingAdd(UInt64(amount), ordering: .relaxed)
    }

    package var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A number that can go up and down; lock-free.
package final class Gauge: Sendable {
    private let number = AtomicDouble()

    init() {}

    package func set(_ value: Double) { number.store(value) }
    package func add(_ amount: Double = 1) { number.add(amount) }

    package var value: Double { number.load() }
}

/// Counts observations per bucket, with their sum; lock-free.
package final class Histogram: Sendable {
    let bounds: Buckets
    private let counts: [Counter]
    private let sum = AtomicDouble()

    init(_ bounds: Buckets) {
        self.bounds = bounds
        counts = (0...bounds.upperBounds.count).map { _ in Counter() }
    }

    package func observe(_ value: Double) {
        let bucket = bounds.upperBounds.firstIndex { value <= $0 } ?? bounds.upperBounds.count
        counts[bucket].add()
        sum.add(value)
    }

    package func observe(_ duration: Duration) { observe(duration.inSeconds) }

    /// The cumulative counts per bucket, with all observations last, and their sum.
    var cumulative: (counts: [UInt64], sum: Double) {
        var total: UInt64 = 0
        let sums = counts.map { count in
            total += count.value
            return total
        }
        return (sums, sum.load())
    }
}

/// The ascending upper bounds of a histogram's buckets; larger values are counted as well.
package struct Buckets: Sendable, Equatable {
    package let upperBounds: [Double]

    package init(_ upperBounds: [Double]) {
        let grows = zip(upperBounds, upperBounds.dropFirst()).allSatisfy { $0 < $1 }
        precondition(grows && upperBounds.allSatisfy(\.isFinite), "bounds must be ascending and finite")
        self.upperBounds = upperBounds
    }

    /// Durations from a millisecond to half a minute, in seconds.
    package static let durations = Buckets([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
    /// Durations from a tenth of a millisecond to ten seconds, for requests on the same machine.
    package static let answers = Buckets([
        0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])
    /// Sizes from 256 bytes to 64 MiB.
    package static let sizes = Buckets((0..<10).map { Double(256 << ($0 * 2)) })
}

/// An atomic floating-point number.
private final class AtomicDouble: Sendable {
    private let bits = Atomic<UInt64>(0)

    func load() -> Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
    func store(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ amount: Double) {
        var known = bits.load(ordering: .relaxed)
        while true {
            let next = (Double(bitPattern: known) + amount).bitPattern
            let (done, found) = bits.weakCompareExchange(expected: known, desired: next, ordering: .relaxed)
            if done { return }
            known = found
        }
    }
}
