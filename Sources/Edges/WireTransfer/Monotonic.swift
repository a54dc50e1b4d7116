import Glibc

/// The clock that only goes forward.
enum Monotonic {
    /// In nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A moment so much later than now; never for what no clock would reach.
    static func after(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 1 << 32 else { return never }
        guard seconds >= 0, attoseconds >= 0 else { return now }
        return now + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }

    static let never = UInt64.max
}

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
