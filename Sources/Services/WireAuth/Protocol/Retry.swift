import WireService
import WireBase
import WireHTTP

/// Asks a second time, after a moment, what may be asked twice.
struct Retry: Sendable {
    let clock: Clockwork
    /// How long after the first answer.
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
    /// Whether the next answer may be another one: the connection was lost, or a gateway has no server behind it now.
    var mayPassAtOnce: Bool {
        guard (retryAfter ?? .zero) <= .seconds(2) else { return false }
        return isOfConnection || status.map { [502, 503, 504].contains($0.code) } ?? false
    }

    /// The same, where nothing was taken that is good for one question only, as a code is.
    ///
    /// The request was not sent, or a server said that it takes none (503), or a gateway that it had no server to pass it on to
    /// (502). A request that was sent without an answer, and one that a gateway waited for in vain (504), may have been taken.
    var mayPassUntaken: Bool { mayPassAtOnce && (!mayHaveTakenEffect || status?.code == 502 || status?.code == 503) }
}
