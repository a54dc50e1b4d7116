import Synchronization

/// A number with its label values in the declared order.
package struct MetricReading: Sendable {
    package let labels: [String]
    package let value: Double

    package init(_ value: Double, labels: [String] = []) {
        self.labels = labels
        self.value = value
    }
}

/// Keeps a metric registered; releasing it ends the registration.
package final class MetricReader: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { end() }
}

/// A metric whose values are read from another owner on demand.
///
/// During a change of generations two readers may exist; the latest one is used.
final class ReadFamily: Sendable {
    let declaration: MetricDeclaration
    private let reads = Mutex<(next: Int, present: [(number: Int, read: @Sendable () async -> [MetricReading])])>(
        (0, [])
    )

    init(_ declaration: MetricDeclaration) {
        self.declaration = declaration
    }

    func add(_ read: @escaping @Sendable () async -> [MetricReading]) -> MetricReader {
        let number = reads.withLock { reads in
            reads.next += 1
            reads.present.append((reads.next, read))
            return reads.next
        }
        return MetricReader { [weak self] in
            self?.reads.withLock { reads in reads.present.removeAll { $0.number == number } }
        }
    }

    /// The values of the latest reader, without duplicate series and within the limit.
    var readings: [MetricReading] {
        get async {
            let read = reads.withLock { $0.present.last?.read }
            var seen: Set<[String]> = []
            return (await read?() ?? []).filter { reading in
                precondition(reading.labels.count == declaration.labels.count, "\(declaration.name) has other labels")
                return seen.count < Metrics.usualLimit && seen.insert(reading.labels).inserted
            }
        }
    }
}
