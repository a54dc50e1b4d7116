import Synchronization
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

/// The present tokens for callers: made once for each change, read by any thread.
final class TokenSnapshot: Sendable {
    let token: AccessToken
    let rotation: Int
    let life: TokenLifetime
    /// Whether a server has rejected the token.
    let isRefused = Atomic(false)
    /// The last encoded response: the remaining lifetime in it changes once a second.
    private let written = Mutex<(second: Int64, answer: SharedBytes)?>(nil)

    init(_ session: SessionRecord.Session, mode: TokenMode) {
        let grant = session.grant
        token = AccessToken(
            value: grant.accessToken,
            type: grant.type,
            expires: grant.expires,
            mode: mode,
            scopes: grant.scopes,
            subject: grant.user?.subject
        )
        rotation = session.rotation
        life = session.life
    }

    /// Whether the token is valid for at least this long.
    func isFresh(for least: Duration, _ clock: TimeSource) -> Bool {
        guard !isRefused.load(ordering: .relaxed) else { return false }
        return life.remaining(clock).map { $0 > .zero && $0 >= least } ?? true
    }

    /// Whether the token may be given out if there is no better one.
    func isUsable(_ clock: TimeSource) -> Bool {
        guard !isRefused.load(ordering: .relaxed) else { return false }
        return life.monotonicRemaining(clock).map { $0 > .zero } ?? true
    }

    /// The response body for callers.
    func answer(_ clock: TimeSource) -> SharedBytes {
        let left = secondsLeft(clock)
        return written.withLock { written in
            if let written, written.second == left { return written.answer }
            let answer = SharedBytes(given(left, clock).bytes)
            written = (left, answer)
            return answer
        }
    }

    /// The token in its form for callers.
    func given(_ clock: TimeSource) -> TokenResponse { given(secondsLeft(clock), clock) }

    private func given(_ left: Int64, _ clock: TimeSource) -> TokenResponse {
        var given = TokenResponse(token)
        given.expiresAt = life.end(clock).map { Timestamp(milliseconds: $0).description }
        given.expiresIn = life.lifetime.map { _ in Int(max(0, left)) }
        return given
    }

    private func secondsLeft(_ clock: TimeSource) -> Int64 { (life.remaining(clock) ?? .zero).components.seconds }
}
