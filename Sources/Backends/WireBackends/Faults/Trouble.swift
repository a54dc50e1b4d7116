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
        /// How many requests were left to chance.
        var count: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ settings: Settings) {
        state = Mutex(State(settings: settings))
    }

    /// Takes other settings over; chance begins anew only where it is asked to.
    func become(_ settings: Settings) {
        state.withLock { state in
            if settings.seed != state.settings.seed { state.count = 0 }
            state.settings = settings
        }
    }

    /// What becomes of the next request.
    func next() -> (delay: Duration, fails: Bool) {
        state.withLock { state in
            let settings = state.settings
            guard settings.failureRate > 0 else { return (settings.latency, false) }
            defer { state.count += 1 }
            let seed = UInt64(bitPattern: Int64(settings.seed))
            return (settings.latency, SplitMix.part(of: seed, at: state.count) < settings.failureRate)
        }
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
