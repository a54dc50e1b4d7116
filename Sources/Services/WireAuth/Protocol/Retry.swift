import WireService
import WireBase
import WireHTTP

/// One retry, after a pause, of a request that may be repeated.
struct Retry: Sendable {
    let clock: TimeSource
    /// The pause after the first answer.
    var pause = Duration.milliseconds(500)

    func ask<Answer>(
        where helps: (SignInFailure) -> Bool,
        _ ask: () async throws(SignInFailure) -> Answer
    ) async throws(SignInFailure) -> Answer {
        do throws(SignInFailure) {
            return try await ask()
        } catch {
            guard helps(error), (try? await clock.sleep(max(pause, error.retryAfter ?? .zero))) != nil else {
                throw error
            }
        }
        return try await ask()
    }
}

extension SignInFailure {
    /// Whether a retry may succeed: the connection was lost, or a gateway reached no server.
    var isRetryable: Bool {
        guard (retryAfter ?? .zero) <= .seconds(2) else { return false }
        return isOfConnection || status.map { [502, 503, 504].contains($0.code) } ?? false
    }

    /// Whether a retry is safe for a request that may be processed only once, such as redeeming a code.
    ///
    /// The request was not sent, or a server refused it as overloaded (503), or a gateway reached no server (502). A
    /// request without a response, and one after a gateway timeout (504), may have been processed.
    var isSafeToRetry: Bool { isRetryable && (!mayHaveTakenEffect || status?.code == 502 || status?.code == 503) }
}
