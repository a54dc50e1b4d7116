import WireAuthContract
import WireConfig

/// Where a session stands and what becomes of it: a value that decides everything and does nothing.
///
/// Whoever owns it tells it what happened, carries out the effects it returns, and keeps no state of its own beside it.
struct Gate: Sendable {
    private(set) var state = State.signedOut(nil)
    /// What goes wrong while the session goes on; nil where all is well.
    private(set) var trouble: Trouble?

    enum State: Sendable {
        case signedOut(SignOutReason?)
        /// Somebody is about to sign in, and must do something for it.
        case signingIn(SignInTask)
        case signedIn(SessionFacts)
        /// Somebody is signed in, and everything about it is withheld.
        case locked(SessionFacts)
        /// The server has closed the account.
        case blocked(Trouble)
    }

    /// What has happened.
    enum Event: Sendable {
        /// The store has said how the session is: when the service starts, and after another process has changed it.
        case found(Finding)
        case signInBegan(SignInTask)
        /// A sign-in did not come about: that of a task, or one that nobody waits for.
        case signInFailed(Trouble, isBlocked: Bool, of: Int?)
        case signInCancelled
        case granted(SessionFacts)
        case renewed(SessionFacts)
        /// Asking for new tokens failed in a way that may pass.
        case renewalFailed(Trouble)
        /// The session is over.
        case ended(SignOutReason, Trouble?)
        case lockClosed
        case lockOpened
    }

    enum Finding: Sendable {
        case signedOut(SignOutReason?)
        case session(SessionFacts, isLocked: Bool)
        case blocked(Trouble)
    }

    /// What is to be done about it, in this order.
    enum Effect: Sendable {
        /// Watchers are told.
        case tell(Notice)
        /// Those who wait for a user are told who it is now.
        case announceUser
        /// The sign-in that waits ends: its listener closes, its code is worth nothing.
        case endSignIn
        /// The health of the service has changed.
        case report
    }

    enum Notice: Sendable {
        case signedIn(SessionFacts)
        case signedOut(SignOutReason)
        case locked
        case unlocked
        case refreshed
        case failed(Trouble)
    }

    mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .found(let finding): found(finding)
        case .signInBegan(let task): began(task)
        case .signInFailed(let trouble, let isBlocked, let number): failed(trouble, isBlocked, number)
        case .signInCancelled: cancelled()
        case .granted(let facts): enter(.signedIn(facts), telling: .signedIn(facts))
        case .renewed(let facts): renewed(facts)
        case .renewalFailed(let trouble): note(trouble)
        case .ended(let reason, let trouble): ended(reason, trouble)
        case .lockClosed: closed()
        case .lockOpened: opened()
        }
    }

    // MARK: Who is there

    /// Who is signed in, whether or not it may be told.
    var facts: SessionFacts? {
        switch state {
        case .signedIn(let facts), .locked(let facts): facts
        case .signedOut, .signingIn, .blocked: nil
        }
    }

    var isLocked: Bool { if case .locked = state { true } else { false } }

    var task: SignInTask? { if case .signingIn(let task) = state { task } else { nil } }

    /// A word for programs.
    var word: SessionState {
        switch state {
        case .signedOut: .signedOut
        case .signingIn: .signingIn
        case .signedIn: .signedIn
        case .locked: .locked
        case .blocked: .blocked
        }
    }

    // MARK: What follows

    private mutating func found(_ finding: Finding) -> [Effect] {
        switch finding {
        case .signedOut(let reason):
            // Another process signing out says nothing about somebody who is just signing in here.
            guard facts != nil else {
                if case .signedOut = state { state = .signedOut(reason) }
                return []
            }
            return ended(reason ?? .elsewhere, nil)
        case .session(let facts, let isLocked):
            guard let present = self.facts, present.session == facts.session else {
                let effects = enter(isLocked ? .locked(facts) : .signedIn(facts), telling: .signedIn(facts))
                return isLocked ? effects + [.tell(.locked)] : effects
            }
            let isNews = present.rotation < facts.rotation
            var effects = replace(facts)
            if isNews { effects += mended() + [.tell(.refreshed)] }
            if isLocked { return effects + closed() }
            return effects + opened()
        case .blocked(let trouble):
            if case .blocked = state { return [] }
            return leave(for: .blocked(trouble), .blocked, trouble)
        }
    }

    private mutating func began(_ task: SignInTask) -> [Effect] {
        switch state {
        case .signedIn, .locked: break
        // Another sign-in ends the former one, and what went wrong with that is over.
        case .signedOut, .signingIn, .blocked:
            state = .signingIn(task)
            return mended()
        }
        return []
    }

    private mutating func failed(_ trouble: Trouble, _ isBlocked: Bool, _ number: Int?) -> [Effect] {
        guard facts == nil else { return [.tell(.failed(trouble))] }
        // Somebody signs in by another one, which goes on.
        if let task, task.number != number { return note(trouble) }
        let wasWaiting = task != nil
        state = isBlocked ? .blocked(trouble) : .signedOut(.failed)
        self.trouble = trouble
        return (wasWaiting ? [.endSignIn] : []) + [.tell(.failed(trouble)), .report]
    }

    private mutating func cancelled() -> [Effect] {
        guard task != nil else { return [] }
        state = .signedOut(.cancelled)
        return [.endSignIn] + mended()
    }

    private mutating func renewed(_ facts: SessionFacts) -> [Effect] {
        guard let present = self.facts else { return enter(.signedIn(facts), telling: .signedIn(facts)) }
        guard present.session == facts.session else { return enter(.signedIn(facts), telling: .signedIn(facts)) }
        return replace(facts) + mended() + [.tell(.refreshed)]
    }

    private mutating func note(_ trouble: Trouble) -> [Effect] {
        let isNews = self.trouble.map { $0.kind != trouble.kind } ?? true
        self.trouble = trouble
        return isNews ? [.tell(.failed(trouble)), .report] : []
    }

    private mutating func ended(_ reason: SignOutReason, _ trouble: Trouble?) -> [Effect] {
        leave(for: trouble.flatMap { reason == .blocked ? .blocked($0) : nil } ?? .signedOut(reason), reason, trouble)
    }

    /// The session is over.
    ///
    /// Who has begun to sign in since goes on: they may have seen in the store that it is over before it was told why.
    private mutating func leave(for next: State, _ reason: SignOutReason, _ trouble: Trouble?) -> [Effect] {
        if task != nil { return trouble.map { note($0) } ?? [] }
        let wasThere = facts != nil
        state = next
        self.trouble = trouble
        var effects: [Effect] = trouble.map { [.tell(.failed($0))] } ?? []
        if wasThere { effects += [.tell(.signedOut(reason)), .announceUser] }
        return effects + [.report]
    }

    private mutating func closed() -> [Effect] {
        guard case .signedIn(let facts) = state else { return [] }
        state = .locked(facts)
        return [.tell(.locked)]
    }

    private mutating func opened() -> [Effect] {
        guard case .locked(let facts) = state else { return [] }
        state = .signedIn(facts)
        return [.tell(.unlocked)]
    }

    private mutating func enter(_ next: State, telling notice: Notice) -> [Effect] {
        let wasWaiting = task != nil
        state = next
        return (wasWaiting ? [.endSignIn] : []) + mended() + [.tell(notice), .announceUser]
    }

    private mutating func replace(_ facts: SessionFacts) -> [Effect] {
        state = isLocked ? .locked(facts) : .signedIn(facts)
        return []
    }

    private mutating func mended() -> [Effect] {
        guard trouble != nil else { return [] }
        trouble = nil
        return [.report]
    }
}
