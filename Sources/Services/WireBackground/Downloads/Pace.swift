import WireBase

/// The transfer rate over the last few seconds.
struct Pace: Sendable {
    private struct Sample {
        let time: Duration
        let count: Int
    }

    private var samples: [Sample] = []

    /// The length of the window, and the interval of its samples.
    private static let window = Duration.seconds(8)
    private static let step = Duration.milliseconds(250)

    /// Records the byte count at a time.
    mutating func record(_ count: Int, at time: Duration) {
        if let last = samples.last, time - last.time < Self.step { return }
        samples.append(Sample(time: time, count: count))
        while samples.count > 2, let first = samples.first, time - first.time > Self.window { samples.removeFirst() }
    }

    /// Bytes per second up to now; nil while there are too few samples.
    func rate(_ count: Int, at time: Duration) -> Double? {
        guard let first = samples.first else { return nil }
        let passed = (time - first.time).inSeconds
        guard passed >= 0.2, count >= first.count else { return nil }
        return Double(count - first.count) / passed
    }
}
