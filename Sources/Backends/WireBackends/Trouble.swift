import Synchronization
import WireConfig
import WireHTTP

/// The troubles of a network, as the file wants them: how long answers take, and which requests fail.
///
/// Which ones fail follows from the seed and the number of the request alone, so that a test that failed fails again.
final class Trouble: Sendable {
    struct Settings: Sendable, Equatable {
        var latency: Duration
        var failureRate: Double
        var seed: Int
    }

    private struct State {
        var settings: Settings
        var chance: UInt64
    }

    private let state: Mutex<State>

    init(_ settings: Settings) {
        state = Mutex(State(settings: settings, chance: UInt64(bitPattern: Int64(settings.seed))))
    }

    /// Takes other settings over; chance begins anew only where it is asked to.
    func become(_ settings: Settings) {
        state.withLock { state in
            if settings.seed != state.settings.seed { state.chance = UInt64(bitPattern: Int64(settings.seed)) }
            state.settings = settings
        }
    }

    /// What becomes of the next request.
    func next() -> (delay: Duration, fails: Bool) {
        state.withLock { state in
            let settings = state.settings
            guard settings.failureRate > 0 else { return (settings.latency, false) }
            return (settings.latency, Self.draw(&state.chance) < settings.failureRate)
        }
    }

    /// A number from 0 to 1 (SplitMix64, of which the upper 53 bits are taken).
    private static func draw(_ state: inout UInt64) -> Double {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        bits ^= bits >> 31
        return Double(bits >> 11) / Double(1 << 53)
    }

    static var failure: Response {
        Response.json(
            .members([
                "error": .string("temporarily_unavailable"),
                "error_description": .string("this request fails because backends.failureRate wants it"),
            ]),
            status: .unavailable
        ).guarded()
    }
}
