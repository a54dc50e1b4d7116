import WireAuthContract
import WireConfig

/// The state machine of a session, as a value.
///
/// Its owner passes in events, executes the returned effects, and keeps no other state of the session.
struct SessionStateMachine: Sendable {
    private(set) var state = State.signedOut(nil)
    /// The present problem of a session that goes on; nil where there is none.
    private(set) var trouble: Trouble?

    enum State: Sendable {
        case signedOut(SignOutReason?)
        /// A sign-in is pending and needs the user.
        case signingIn(SignInTask)
        case signedIn(SessionFacts)
        /// A user is signed in, and tokens and user data are withheld.
        case locked(SessionFacts)
        /// The server has closed the account.
        case blocked(Trouble)
    }

    /// What has happened.
    enum Event: Sendable {
        /// The store returned the session: at the start of the service, and after another process changed it.
        case found(Finding)
        case signInBegan(SignInTask)
        /// A sign-in failed: that of a task, or one without a user.
        case signInFailed(Trouble, isBlocked: Bool, of: Int?)
        case signInCancelled
        case granted(SessionFacts)
        case renewed(SessionFacts)
        /// A renewal failed and may succeed later.
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

    /// The actions that follow, in this order.
    enum Effect: Sendable {
        /// Notifies watchers.
        case emit(Notice)
        /// Announces the user to waiting services.
        case announceUser
        /// Ends the pending sign-in: its listener closes, its code is invalid.
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

    // MARK: The user

    /// The signed-in session, whether or not it is locked.
    var facts: SessionFacts? {
        switch state {
        case .signedIn(let facts), .locked(let facts): facts
        case .signedOut, .signingIn, .blocked: nil
        }
    }

    var isLocked: Bool { if case .locked = state { true } else { false } }

    var task: SignInTask? { if case .signingIn(let task) = state { task } else { nil } }

    /// The state's name in the local API.
    var word: SessionState {
        switch state {
        case .signedOut: .signedOut
        case .signingIn: .signingIn
        case .signedIn: .signedIn
        case .locked: .locked
        case .blocked: .blocked
        }
    }

    // MARK: Transitions

    private mutating func found(_ finding: Finding) -> [Effect] {
        switch finding {
        case .signedOut(let reason):
            // A sign-out in another process does not cancel a pending sign-in here.
            guard facts != nil else {
                if case .signedOut = state { state = .signedOut(reason) }
                return []
            }
            return ended(reason ?? .elsewhere, nil)
        case .session(let facts, let isLocked):
            guard let present = self.facts, present.session == facts.session else {
                let effects = enter(isLocked ? .locked(facts) : .signedIn(facts), telling: .signedIn(facts))
                return isLocked ? effects + [.emit(.locked)] : effects
            }
            let isChange = present.rotation < facts.rotation
            var effects = replace(facts)
            if isChange { effects += mended() + [.emit(.refreshed)] }
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
        // A new sign-in ends the former session together with its problem.
        case .signedOut, .signingIn, .blocked:
            state = .signingIn(task)
            return mended()
        }
        return []
    }

    private mutating func failed(_ trouble: Trouble, _ isBlocked: Bool, _ number: Int?) -> [Effect] {
        guard facts == nil else { return [.emit(.failed(trouble))] }
        // The user signs in by another sign-in, which goes on.
        if let task, task.number != number { return note(trouble) }
        let wasWaiting = task != nil
        state = isBlocked ? .blocked(trouble) : .signedOut(.failed)
        self.trouble = trouble
        return (wasWaiting ? [.endSignIn] : []) + [.emit(.failed(trouble)), .report]
    }

    private mutating func cancelled() -> [Effect] {
        guard task != nil else { return [] }
        state = .signedOut(.cancelled)
        return [.endSignIn] + mended()
    }

    private mutating func renewed(_ facts: SessionFacts) -> [Effect] {
        guard let present = self.facts else { return enter(.signedIn(facts), telling: .signedIn(facts)) }
        guard present.session == facts.session else { return enter(.signedIn(facts), telling: .signedIn(facts)) }
        return replace(facts) + mended() + [.emit(.refreshed)]
    }

    private mutating func note(_ trouble: Trouble) -> [Effect] {
        let isChange = self.trouble.map { $0.kind != trouble.kind } ?? true
        self.trouble = trouble
        return isChange ? [.emit(.failed(trouble)), .report] : []
    }

    private mutating func ended(_ reason: SignOutReason, _ trouble: Trouble?) -> [Effect] {
        leave(for: trouble.flatMap { reason == .blocked ? .blocked($0) : nil } ?? .signedOut(reason), reason, trouble)
    }

    /// Ends the session.
    ///
    /// A pending sign-in goes on: its process may have seen the end of the session in the store before this event.
    private mutating func leave(for next: State, _ reason: SignOutReason, _ trouble: Trouble?) -> [Effect] {
        if task != nil { return trouble.map { note($0) } ?? [] }
        let wasThere = facts != nil
        state = next
        self.trouble = trouble
        var effects: [Effect] = trouble.map { [.emit(.failed($0))] } ?? []
        if wasThere { effects += [.emit(.signedOut(reason)), .announceUser] }
        return effects + [.report]
    }

    private mutating func closed() -> [Effect] {
        guard case .signedIn(let facts) = state else { return [] }
        state = .locked(facts)
        return [.emit(.locked)]
    }

    private mutating func opened() -> [Effect] {
        guard case .locked(let facts) = state else { return [] }
        state = .signedIn(facts)
        return [.emit(.unlocked)]
    }

    private mutating func enter(_ next: State, telling notice: Notice) -> [Effect] {
        let wasWaiting = task != nil
        state = next
        return (wasWaiting ? [.endSignIn] : []) + mended() + [.emit(notice), .announceUser]
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
