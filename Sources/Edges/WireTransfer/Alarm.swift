import WireBase

/// The earliest time at which a timeout may expire.
final class Alarm {
    private(set) var due = Monotonic.never

    /// Sets the alarm to a time, if that is earlier.
    func arm(_ moment: UInt64) {
        due = min(due, moment)
    }

    func reset() {
        due = Monotonic.never
    }
}
