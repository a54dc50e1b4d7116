import Synchronization
import WireBase
import WireHTTP

/// The cache of responses for requests with `to-cache: seconds`.
final class ServerCache: Sendable {
    private struct Kept {
        let response: Response
        let made: Duration
        let used: Int
    }

    private struct State {
        var answers: [String: Kept] = [:]
        var uses = 0
    }

    private let state = Mutex(State())
    private let clock: TimeSource
    /// The largest number of responses, size of a response, and age.
    private static let limit = 256
    private static let size = 4 << 20
    private static let longest = 30 * 86_400

    init(_ clock: TimeSource) {
        self.clock = clock
    }

    /// Returns the largest age that a request accepts; nil where it wants a new response.
    static func age(wantedBy request: Request) -> Int? {
        request.fields["to-cache"].flatMap { Int($0) }.flatMap { $0 > 0 ? min($0, longest) : nil }
    }

    /// Returns a cached response younger than a number of seconds, with its age.
    func find(_ key: String, noOlderThan seconds: Int) -> Response? {
        state.withLock { state in
            guard let kept = state.answers[key] else { return nil }
            let age = (clock.monotonic() - kept.made).components.seconds
            guard age < seconds else { return nil }
            state.uses += 1
            state.answers[key] = Kept(response: kept.response, made: kept.made, used: state.uses)
            var response = kept.response
            response.fields["Age"] = "\(max(0, age))"
            return response
        }
    }

    func keep(_ response: Response, _ key: String) {
        guard response.status == .ok, case .bytes(let bytes) = response.body, bytes.count <= Self.size else { return }
        state.withLock { state in
            state.uses += 1
            state.answers[key] = Kept(response: response, made: clock.monotonic(), used: state.uses)
            guard state.answers.count > Self.limit,
                let oldest = state.answers.min(by: { $0.value.used < $1.value.used })?.key
            else { return }
            state.answers[oldest] = nil
        }
    }
}
