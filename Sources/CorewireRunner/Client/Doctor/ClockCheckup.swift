import WireBase
import WireHost

/// Whether the clocks of the machine can be: what certificates, tokens and retries go by.
struct ClockCheckup {
    private let clock: Clockwork
    private let begin: (wall: Int64, monotonic: Duration)

    /// The year this program was written in; no clock that is right shows less.
    private static let earliest = 2026
    private static let latest = 2100

    init(_ clock: Clockwork = .host) {
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
                    "it shows \(now), which cannot be",
                    help: "set it, or let it be set: timedatectl set-ntp true"
                )
            ]
        }
        let wall = clock.wall() - begin.wall
        let monotonic = (clock.monotonic() - begin.monotonic).inMicroseconds / 1_000
        guard abs(wall - monotonic) < 500 else {
            return [
                .warning(
                    "clock",
                    "while this looked, the wall clock went \(wall) ms and the monotonic one \(monotonic) ms",
                    help: "something sets the clock: see the log of the time service"
                )
            ]
        }
        return [.ok("clock", "\(now), in step")]
    }
}
