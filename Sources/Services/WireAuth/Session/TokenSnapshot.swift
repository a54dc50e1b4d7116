import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService

/// The tokens as they are handed out: made once for each change, read by any thread.
final class TokenSnapshot: Sendable {
    let token: AccessToken
    let rotation: Int
    let life: TokenLife
    /// Whether a server has refused the token, however fresh it looks.
    let isRefused = Atomic(false)
    /// The answer that was made last: how long the token is good for changes once a second.
    private let written = Mutex<(second: Int64, answer: SharedBytes)?>(nil)

    init(_ session: SessionRecord.Session, mode: TokenMode) {
        let grant = session.grant
        token = AccessToken(
            value: grant.accessToken,
            type: grant.type,
            expires: grant.expires,
            mode: mode,
            scopes: grant.scopes
        )
        rotation = session.rotation
        life = session.life
    }

    /// Whether it may be handed out to somebody who needs it for so long.
    func isFresh(for least: Duration, _ clock: Clockwork) -> Bool {
        guard !isRefused.load(ordering: .relaxed) else { return false }
        return life.remaining(clock).map { $0 > .zero && $0 >= least } ?? true
    }

    /// Whether it may be handed out where there is no better one.
    func isUsable(_ clock: Clockwork) -> Bool {
        guard !isRefused.load(ordering: .relaxed) else { return false }
        return life.hopefullyRemaining(clock).map { $0 > .zero } ?? true
    }

    /// The body of the answer to who asks for it.
    func answer(_ clock: Clockwork) -> SharedBytes {
        let left = (life.remaining(clock) ?? .zero).components.seconds
        return written.withLock { written in
            if let written, written.second == left { return written.answer }
            let answer = SharedBytes(body(left, clock))
            written = (left, answer)
            return answer
        }
    }

    private func body(_ left: Int64, _ clock: Clockwork) -> [UInt8] {
        let json = JSONValue.members([
            "accessToken": .string(token.value.reveal()), "tokenType": .string(token.type),
            "mode": .string(token.mode.rawValue), "scopes": .array(token.scopes.map(JSONValue.string)),
            "expiresAt": life.end(clock).map { .string(Timestamp(milliseconds: $0).description) },
            "expiresIn": life.lifetime.map { _ in .integer(Int(max(0, left))) },
        ])
        return json.bytes()
    }
}
