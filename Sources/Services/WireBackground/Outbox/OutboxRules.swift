import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireWorkContract

/// What is done with a request by what was answered: values in, values out.
struct OutboxRules: Sendable {
    let retry: RetryRules
    let queue: QueueLimits
    let drainEvery: Duration

    init(_ settings: BackgroundSection) {
        (retry, queue, drainEvery) = (settings.retry, settings.queue, settings.drainEvery)
    }

    /// What requests wait for besides their time, as the store knows it.
    enum Awaited {
        static let network = "network"
        static let user = "user"
        static let token = "token"
        static let clerk = "clerk"
        /// The time the server has named: nothing but a person makes it earlier.
        static let server = "server"
    }

    enum Verdict: Sendable {
        case sent
        case later(WorkDelay)
        case failed(String)
    }

    /// What an answer comes to: arrived, to be tried again, or final.
    func verdict(on status: Status, _ fields: Fields, _ item: Attempt, now: Int64) -> Verdict {
        switch status.code {
        case 200...299: return .sent
        case _ where status.isTransient:
            return again(item, "the server answered \(status.shown)", retryAfter: Self.retryAfter(fields, now: now))
        default: return .failed("the server answered \(status.shown)\(status.redirectNote)")
        }
    }

    /// What it comes to that there is no answer.
    func verdict(on failure: CallFailure, _ item: Attempt) -> Verdict {
        switch failure.kind {
        case .offline, .notStored: return wait(drainEvery, failure, Awaited.network)
        case .noToken(let reason):
            switch reason {
            case .signedOut, .blocked: return wait(drainEvery, failure, Awaited.user)
            // Nobody tells when a session is unlocked, or the machine is trusted again.
            case .locked, .distrusted: return wait(Self.lookAgain, failure, Awaited.user)
            case .unavailable: return wait(failure.retryAfter ?? Self.lookAgain, failure, Awaited.token)
            case .undeclared: return .failed(failure.reason)
            }
        case .resting: return wait(failure.retryAfter ?? Self.lookAgain, failure, nil)
        case .busy: return wait(failure.retryAfter ?? .seconds(1), failure, nil)
        // Whoever sends is made anew, here or in the next generation.
        case .ended, .cancelled: return wait(.seconds(1), failure, nil)
        case .timeout: return again(item, failure.reason, retryAfter: failure.retryAfter)
        case .transfer(.invalidURL), .transfer(.invalidRequest), .transfer(.forbidden): return .failed(failure.reason)
        case .transfer: return again(item, failure.reason, retryAfter: failure.retryAfter)
        case .noAddress, .forbidden: return .failed(failure.reason)
        }
    }

    /// A request whose turn has come.
    struct Attempt: Sendable {
        let id: String
        /// How often it was tried before, and how often it may be.
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

    /// Why a request is not even tried any more; nil where it is.
    func end(before item: Attempt) -> String? {
        if let maxAge = item.maxAge, item.age >= maxAge {
            return "it has waited for longer than the \(maxAge.literal.plainText) it may"
        }
        // Whoever was killed while it was under way has not counted to the end.
        guard item.former < item.limit else { return "it was tried \(item.former) times, as often as it may be" }
        return nil
    }

    func again(_ item: Attempt, _ reason: String, retryAfter: Duration? = nil) -> Verdict {
        let tried = item.former + 1
        guard tried < item.limit else {
            return .failed("it was tried \(tried) \(tried == 1 ? "time" : "times"), the last time \(reason)")
        }
        var delay = WorkDelay(pause(after: tried, item.id), because: reason)
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

    /// Nothing waits beyond the time it may wait at all.
    private func within(_ item: Attempt, _ delay: Duration) -> Duration {
        item.maxAge.map { max(.zero, min(delay, $0 - item.age)) } ?? delay
    }

    /// How long until a request is tried again: twice as long each time, and not all at the same moment.
    func pause(after tried: Int, _ id: String) -> Duration {
        let doublings = min(max(tried - 1, 0), 40)
        let longest = max(retry.max, retry.min)
        let grown = min(retry.min.inSeconds * Double(1 << doublings), longest.inSeconds)
        // From three quarters to five quarters, by the request: another run decides alike.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in id.utf8 + [UInt8(truncatingIfNeeded: tried)] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let share = 0.75 + Double(hash >> 40) / Double(1 << 24) * 0.5
        return .milliseconds(Int64(min(grown * share, longest.inSeconds) * 1_000))
    }

    /// How long the server asks to wait: seconds, or a date (RFC 9110, section 10.2.3).
    static func retryAfter(_ fields: Fields, now: Int64) -> Duration? {
        guard let text = fields["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return text.utf8.count > 9 ? longestNamed : Int64(text).map { .seconds($0) }
        }
        guard let date = HTTPDate(parsing: text) else { return nil }
        let (wait, overflow) = (date.seconds * 1_000).subtractingReportingOverflow(now)
        return overflow ? nil : .milliseconds(max(0, wait))
    }

    /// A server that names a later time is asked again by then all the same.
    static let longestNamed = Duration.seconds(86_400)
    private static let lookAgain = Duration.seconds(30)
}
