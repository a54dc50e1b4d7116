import WireBase
import WireHost

/// Checks the clocks of the machine, on which certificates, tokens and retries depend.
struct ClockCheckup {
    private let clock: TimeSource
    private let begin: (wall: Int64, monotonic: Duration)

    /// The year of this program's release; a correct clock shows no earlier one.
    private static let earliest = 2026
    private static let latest = 2100

    init(_ clock: TimeSource = .host) {
        self.clock = clock
        begin = (clock.wall(), clock.monotonic())
    }

    func findings() -> [Finding] {
        let now = Timestamp(milliseconds: clock.wall())
        let year = Int(now.description.prefix { $0 != "-" }) ?? 0
        guard (Self.earliest..<Self.latest).contains(year) else {
            return [
                .problem(
                    "clock",
                    "the clock shows \(now), which is wrong",
                    help: "set the clock: timedatectl set-ntp true"
                )
            ]
        }
        let wall = clock.wall() - begin.wall
        let monotonic = (clock.monotonic() - begin.monotonic).inMicroseconds / 1_000
        guard abs(wall - monotonic) < 500 else {
            return [
                .warning(
                    "clock",
                    "during the check, the wall clock advanced \(wall) ms and the monotonic one \(monotonic) ms",
                    help: "another program adjusts the clock; see the log of the time service"
                )
            ]
        }
        return [.ok("clock", "\(now)")]
    }
}
