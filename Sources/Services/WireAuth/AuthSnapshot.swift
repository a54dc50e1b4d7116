import Synchronization
package import WireAuthContract
import WireBase
package import WireService

/// The state of the session, the lock and the sign-in at one moment.
package struct AuthSnapshot: Sendable {
    package let session: Session
    /// The present problem of a session that goes on.
    package let trouble: Trouble?
    /// The lock, where the file declares one.
    package let lock: LockState?

    package enum Session: Sendable {
        case signedOut(SignOutReason?)
        case signingIn(SignInTask)
        case signedIn(SignedInUser)
        /// The app itself, where the file has no users.
        case appSignedIn
        case locked
        case blocked(Trouble)
    }
}

extension LockState {
    fileprivate init(
        _ rules: LockRules,
        _ state: SessionManager.State,
        _ clock: TimeSource,
        isLocked: Bool,
        obstacle: String?
    ) {
        self.init(rules.method, after: rules.after, attempts: rules.attempts)
        let record = state.presentLock(clock)
        (self.isLocked, self.obstacle, hasPIN) = (isLocked, obstacle, record?.pin != nil)
        attemptsLeft = max(0, rules.attempts - (record?.failures ?? 0))
        wait = record.map { LockRules.wait($0, clock) } ?? .zero
    }
}

extension AuthService {
    /// The present state; reading it does not count as use of the session.
    package var authSnapshot: AuthSnapshot {
        let isUser = userManager != nil
        guard let manager = userManager ?? appManager else {
            return AuthSnapshot(session: .signedOut(nil), trouble: nil, lock: nil)
        }
        let now = manager.state.withLock { $0 }
        let isLocked = now.machine.isLocked || now.isOverdue(manager.clock)
        let session: AuthSnapshot.Session =
            switch now.machine.state {
            case .signedOut(let reason): .signedOut(reason)
            case .signingIn(let task): .signingIn(task)
            case .signedIn where isLocked: .locked
            case .signedIn(let facts):
                if let user = facts.user, isUser { .signedIn(user) } else { .appSignedIn }
            case .locked: .locked
            case .blocked(let trouble): .blocked(trouble)
            }
        let lock = now.settings.lock.map {
            LockState($0, now, manager.clock, isLocked: isLocked, obstacle: lockObstacle)
        }
        return AuthSnapshot(session: session, trouble: now.machine.trouble, lock: lock)
    }

    /// Watches the state until this service ends.
    package func watchStatus() -> AuthWatch {
        AuthWatch(changes: (userManager ?? appManager)?.changes ?? ChangeSignal(), over: leaving)
    }
}

/// Signals changes of the sign-in state.
package struct AuthWatch: Sendable {
    fileprivate let changes: ChangeSignal
    fileprivate let over: OneShot

    /// The number of changes so far; read it before ``AuthService/authSnapshot`` so that no change is missed.
    package var count: Int { changes.count }

    /// Returns when the state may have changed; false when another service took over, or the task was cancelled.
    package func changed(after count: Int) async -> Bool {
        let (changes, over) = (changes, over)
        await firstOf([{ await changes.wait(after: count) }, { await over.wait() }])
        return !over.hasFired && !Task.isCancelled
    }
}
