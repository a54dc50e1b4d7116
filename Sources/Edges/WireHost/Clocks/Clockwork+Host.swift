import Glibc
package import WireBase

extension TimeSource {
    /// The clocks of this machine.
    package static let host = TimeSource(
        wall: {
            let moment = read(CLOCK_REALTIME)
            return Int64(moment.tv_sec) * 1_000 + Int64(moment.tv_nsec) / 1_000_000
        },
        monotonic: { duration(of: CLOCK_MONOTONIC) },
        uptime: { duration(of: CLOCK_BOOTTIME) },
        boot: HostFiles().boot,
        sleep: { duration in
            guard let sleepers = Sleepers.shared else { return try await Task.sleep(for: duration) }
            try await sleepers.sleep(duration)
        }
    )

    private static func duration(of clock: clockid_t) -> Duration {
        let moment = read(clock)
        return .seconds(moment.tv_sec) + .nanoseconds(moment.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var moment = timespec()
        _ = unsafe clock_gettime(clock, &moment)
        return moment
    }
}
