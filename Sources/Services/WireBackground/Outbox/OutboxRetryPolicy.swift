import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireWorkContract

/// The rules for the next step after an attempt, without side effects.
struct OutboxRetryPolicy: Sendable {
    let retry: RetryRules
    let queue: QueueLimits
    let drainEvery: Duration

    init(_ settings: BackgroundSection) {
        (retry, queue, drainEvery) = (settings.retry, settings.queue, settings.drainEvery)
    }

    /// The stored names of events that requests wait for.
    enum Awaited {
        static let network = "network"
        static let user = "user"
        static let token = "token"
        static let delegate = "clerk"
        /// The time that the server has set; only a caller's retry makes it earlier.
        static let server = "server"
    }

    enum Verdict: Sendable {
        case sent
        case later(WorkDelay)
        case failed(String)
    }

    /// The verdict on a response: delivered, to be retried, or failed.
    func verdict(on status: Status, _ fields: Fields, _ item: Attempt, now: Int64) -> Verdict {
        switch status.code {
        case 200...299: return .sent
        case _ where status.isTransient:
            return retry(
                item,
                "the server responded with status \(status.shown)",
                retryAfter: fields.retryAfter(at: now)
            )
        default: return .failed("the server responded with status \(status.shown)\(status.redirectNote)")
        }
    }

    /// The verdict on a missing response.
    func verdict(on failure: CallFailure, _ item: Attempt) -> Verdict {
        switch failure.kind {
        case .offline, .notStored: return wait(drainEvery, failure, Awaited.network)
        case .noToken(let reason):
            switch reason {
            case .signedOut, .blocked: return wait(drainEvery, failure, Awaited.user)
            // There is no signal for an unlocked session, or for a machine that is trusted again.
            case .locked, .distrusted: return wait(Self.lookAgain, failure, Awaited.user)
            case .unavailable: return wait(failure.retryAfter ?? Self.lookAgain, failure, Awaited.token)
            case .undeclared: return .failed(failure.reason)
            }
        case .resting: return wait(failure.retryAfter ?? Self.lookAgain, failure, nil)
        case .busy: return wait(failure.retryAfter ?? .seconds(1), failure, nil)
        // The network service is replaced, in this generation or the next.
        case .ended, .cancelled: return wait(.seconds(1), failure, nil)
        case .timeout: return retry(item, failure.reason, retryAfter: failure.retryAfter)
        case .transfer(.invalidURL), .transfer(.invalidRequest), .transfer(.forbidden): return .failed(failure.reason)
        case .transfer: return retry(item, failure.reason, retryAfter: failure.retryAfter)
        case .noAddress, .forbidden: return .failed(failure.reason)
        }
    }

    /// A request before its attempt.
    struct Attempt: Sendable {
        let id: String
        /// The number of former attempts, and the limit.
        let former: Int
        let limit: Int
        let age: Duration
        let maxAge: Duration?
    }

    func attempt(_ claim: ClaimedWork, _ request: OutboxRequest) -> Attempt {
        Attempt(
            id: claim.id,
            former: claim.attempts,
            limit: request.attempts ?? retry.attempts,
            age: claim.age,
            maxAge: request.maxAge ?? queue.maxAge
        )
    }

    /// Why a request is not tried any more; nil where it is.
    func end(before item: Attempt) -> String? {
        if let maxAge = item.maxAge, item.age >= maxAge {
            return "the request has reached its maximum age of \(maxAge.literal.plainText)"
        }
        // A process that was killed during an attempt did not record its failure.
        guard item.former < item.limit else { return "all \(item.former) attempts were used" }
        return nil
    }

    func retry(_ item: Attempt, _ reason: String, retryAfter: Duration? = nil) -> Verdict {
        let tried = item.former + 1
        guard tried < item.limit else {
            return .failed("\(tried) \(tried == 1 ? "attempt" : "attempts") failed, the last one because \(reason)")
        }
        var delay = WorkDelay(backoff(after: tried, item.id), because: reason)
        if let retryAfter {
            delay.time = max(min(retryAfter, Self.longestNamed), retry.min)
            delay.awaits = Awaited.server
        }
        delay.time = within(item, delay.time)
        return .later(delay)
    }

    private func wait(_ time: Duration, _ failure: CallFailure, _ awaited: String?) -> Verdict {
        var delay = WorkDelay(time, because: failure.reason)
        delay.awaits = awaited
        delay.isAttempt = false
        return .later(delay)
    }

    /// The wait, no longer than until the maximum age.
    private func within(_ item: Attempt, _ delay: Duration) -> Duration {
        item.maxAge.map { max(.zero, min(delay, $0 - item.age)) } ?? delay
    }

    /// The backoff before a retry: doubled each time, with jitter.
    func backoff(after tried: Int, _ id: String) -> Duration {
        let doublings = min(max(tried - 1, 0), 40)
        let longest = max(retry.max, retry.min)
        let grown = min(retry.min.inSeconds * Double(1 << doublings), longest.inSeconds)
        // A factor from 3/4 to 5/4, derived from the request's id, so that another run computes the same.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in id.utf8 + [UInt8(truncatingIfNeeded: tried)] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let share = 0.75 + Double(hash >> 40) / Double(1 << 24) * 0.5
        return .milliseconds(Int64(min(grown * share, longest.inSeconds) * 1_000))
    }

    /// The maximum pause that a server can set.
    static let longestNamed = Duration.seconds(86_400)
    private static let lookAgain = Duration.seconds(30)
}
