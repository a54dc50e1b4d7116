import WireBase
import WireHTTP
import WireNetworkContract

/// The rules of retries, without side effects.
struct RetryRules: Sendable {
    let backoff: Backoff
    let longestAsked: Duration

    /// The result of an attempt.
    enum Outcome {
        case answer(Status)
        case failure(TransferFailure)
    }

    /// Whether another attempt may succeed.
    static func isWorthRepeating(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .answer(let status): return status.isTransient
        case .failure(let failure):
            switch failure.kind {
            case .unresolved, .unreachable, .timeout, .interrupted, .exhausted: return true
            case .invalidURL, .invalidRequest, .forbidden, .tls, .pin, .protocolError, .tooManyRedirects, .cancelled:
                return false
            }
        }
    }

    /// Whether the request may be sent twice.
    static func maySendAgain(_ call: ServerCall, after outcome: Outcome) -> Bool {
        if case .stream = call.body { return false }
        if call.method.isIdempotent || call.isRepeatable { return true }
        if case .failure(let failure) = outcome { return failure.wasNotSent }
        return false
    }

    /// The pause before a retry, the first being 1; nil where the server asks for more than the maximum.
    ///
    /// `chance` is the random factor of the jitter, from 0 to 1.
    func wait(before repetition: Int, asked: Duration?, chance: Double) -> Duration? {
        if let asked, asked > longestAsked { return nil }
        var full = backoff.first
        for _ in 1..<max(1, repetition) where full < backoff.max { full = full * 2 }
        full = min(full, backoff.max)
        let own = full * (1 - backoff.jitter) + full * (backoff.jitter * chance)
        return max(own, asked ?? .zero)
    }
}
