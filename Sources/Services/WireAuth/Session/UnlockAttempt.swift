import WireAuthContract
import WireBase
import WireSecrets
import WireService

/// The secret of an unlock attempt, with its checker.
enum UnlockAttempt: Sendable {
    case pin(Secret<String>, any SlowHashing)
    case password(Secret<String>, any AccountChecking)

    var method: UnlockMethod {
        switch self {
        case .pin: .pin
        case .password: .pam
        }
    }

    func verdict(_ lock: LockRecord) async throws(LockFailure) -> AccountVerdict {
        switch self {
        case .pin(let pin, let hashing):
            guard let hash = lock.pin else { throw .noPIN }
            guard LockRules.isPIN(pin.reveal()) else { return .wrong }
            let isRight = try await LockFailure.rethrowing(try hashing.isSlowHash(hash, of: Array(pin.reveal().utf8)))
            return isRight ? .right : .wrong
        case .password(let password, let accounts): return await accounts.check(password)
        }
    }
}
