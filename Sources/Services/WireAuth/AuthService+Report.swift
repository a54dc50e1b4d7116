import Synchronization
import WireAuthContract
import WireBase
import WireConfig
import WireService

extension AuthService {
    /// The state of the session; members that need a right to the session are left out for other callers.
    func report(isTrusted: Bool) -> AuthReport {
        let settings = present.settings
        var report = AuthReport(TokenMode(settings.mode), settings.flow, policy: settings.policy.rawValue)
        let pending = [userManager, appManager].reduce(0) { $0 + ($1?.revocations.count ?? 0) }
        report.pendingRevocations = pending > 0 ? pending : nil
        report.withheld = watch.withheld
        report.app = appManager.map { manager in
            manager.state.withLock { AuthAppReport($0.machine.word, $0.machine.trouble) }
        }
        guard let manager = userManager else {
            (report.state, report.trouble) = (report.app?.state ?? .signedOut, report.app?.trouble)
            return report
        }
        let clock = manager.clock
        let now = manager.state.withLock { $0 }
        let isLocked = now.machine.isLocked || now.isOverdue(clock)
        report.state = isLocked ? .locked : now.machine.word
        if case .signedOut(let reason) = now.machine.state { report.reason = reason }
        if isTrusted, !isLocked {
            report.session = now.machine.facts?.session
            report.token = now.snapshot.map { AuthTokenFacts($0, clock) }
        }
        // The code or the URL lets its holder take part in the sign-in.
        if isTrusted { report.signIn = now.machine.task.map { SignInReport($0, clock, now.machine.word) } }
        report.lock = authSnapshot.lock
        report.trouble = now.machine.trouble
        return report
    }
}

extension AuthTokenFacts {
    fileprivate init(_ snapshot: TokenSnapshot, _ clock: TimeSource) {
        self.init(
            scopes: snapshot.token.scopes,
            expiresAt: snapshot.life.end(clock).map { Timestamp(milliseconds: $0).description }
        )
    }
}

extension SignInReport {
    init(_ task: SignInTask, _ clock: TimeSource, _ state: SessionState) {
        let left = max(0, (task.ends - clock.monotonic()).components.seconds)
        self.init(state, task.flow, expiresIn: Int(left))
        switch task.ask {
        case .open(let url): self.url = url
        case .enter(let code, let uri, let complete):
            (userCode, verificationURI, completeURI) = (code, uri, complete)
        case .wait, .addon: break
        }
    }
}
