import Glibc

/// The monotonic clock in nanoseconds, for threads that wait in the kernel.
package enum Monotonic {
    package static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Returns the time after a duration; `never` beyond the range of the clock.
    package static func after(_ duration: Duration) -> UInt64 {
        let wait = duration.nanoseconds
        return wait < Duration.centuries ? now + wait : never
    }

    package static let never = UInt64.max
}

extension Duration {
    fileprivate static let centuries: UInt64 = 1 << 62

    /// The duration in nanoseconds: zero for negative ones, centuries for those out of range.
    package var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1 << 32 else { return Self.centuries }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
