import Synchronization

/// One number that was read, with the values of its labels in the declared order.
package struct MetricReading: Sendable {
    package let labels: [String]
    package let value: Double

    package init(_ value: Double, labels: [String] = []) {
        self.labels = labels
        self.value = value
    }
}

/// Keeps a metric readable; letting go of it ends the reading.
package final class MetricReader: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { end() }
}

/// A metric whose numbers others keep.
///
/// While a generation takes over from another both may read the same metric: who came last is asked.
final class ReadFamily: Sendable {
    let declaration: MetricDeclaration
    private let reads = Mutex<(next: Int, present: [(number: Int, read: @Sendable () -> [MetricReading])])>((0, []))

    init(_ declaration: MetricDeclaration) {
        self.declaration = declaration
    }

    func add(_ read: @escaping @Sendable () -> [MetricReading]) -> MetricReader {
        let number = reads.withLock { reads in
            reads.next += 1
            reads.present.append((reads.next, read))
            return reads.next
        }
        return MetricReader { [weak self] in
            self?.reads.withLock { reads in reads.present.removeAll { $0.number == number } }
        }
    }

    /// What the latest reader says, each series once and no more of them than a metric has room for.
    var readings: [MetricReading] {
        let read = reads.withLock { $0.present.last?.read }
        var seen: Set<[String]> = []
        return (read?() ?? []).filter { reading in
            precondition(reading.labels.count == declaration.labels.count, "\(declaration.name) has other labels")
            return seen.count < Metrics.usualLimit && seen.insert(reading.labels).inserted
        }
    }
}
