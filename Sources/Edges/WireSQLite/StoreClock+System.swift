import Glibc
import WireBase
package import WireStore

extension StoreClock {
    /// The machine's clocks.
    package static let system = StoreClock(
        now: { milliseconds(of: CLOCK_REALTIME) },
        uptime: { milliseconds(of: CLOCK_BOOTTIME) },
        boot: (try? Files.read("/proc/sys/kernel/random/boot_id", upTo: .kibibytes(1))).map {
            String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self)
        } ?? "unknown"
    )

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
