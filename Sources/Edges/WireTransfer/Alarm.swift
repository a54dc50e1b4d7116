import WireBase

/// The earliest moment at which something must be looked at.
final class Alarm {
    private(set) var due = Monotonic.never

    /// Asks for a look at a moment, or earlier.
    func arm(_ moment: UInt64) {
        due = min(due, moment)
    }

    func reset() {
        due = Monotonic.never
    }
}
