import Synchronization
import WireAuthContract
import WireBase
import WireService
import WireStore

/// Giving out and renewing tokens.
extension SessionManager {
    /// The token that a caller gets without waiting.
    enum Reading: Sendable {
        case token(TokenSnapshot)
        /// No token is valid long enough; there may be one that is valid for less.
        case stale(TokenSnapshot?)
        case refused(TokenRefusal)
    }

    /// Reads the snapshot under a short lock, without waiting.
    func read(for least: Duration, countsAsUse: Bool) -> Reading {
        let (reading, isOverdue) = state.withLock { state -> (Reading, Bool) in
            if state.isOverdue(clock) { return (.refused(state.refusal(.locked)), true) }
            switch state.machine.state {
            case .signedIn:
                if countsAsUse { state.used = (clock.wall(), clock.monotonic()) }
                guard let snapshot = state.snapshot else { return (.stale(nil), false) }
                let isFresh = snapshot.isFresh(for: snapshot.life.capped(least), clock)
                if !isFresh { state.requestedLifetime = max(state.requestedLifetime, least) }
                return (isFresh ? .token(snapshot) : .stale(snapshot.isUsable(clock) ? snapshot : nil), false)
            case .locked: return (.refused(state.refusal(.locked)), false)
            case .blocked: return (.refused(state.refusal(.blocked)), false)
            case .signedOut, .signingIn:
                if state.signsInByItself { return (.stale(nil), false) }
                return (.refused(state.refusal(.signedOut)), false)
            }
        }
        if isOverdue { renewalRequests.signal() }
        return reading
    }

    /// A token that is valid for at least this long, renewed first if necessary.
    func token(for least: Duration, countsAsUse: Bool = false) async throws(TokenRefusal) -> TokenSnapshot {
        do throws(TokenRefusal) {
            let snapshot = try await obtain(for: least, countsAsUse: countsAsUse)
            source.meters?.gaveToken()
            return snapshot
        } catch {
            if error.reason == .unavailable {
                state.withLock { $0.isMissed = true }
                // A token that arrived before this task listened would not be signalled.
                if case .token(let snapshot) = read(for: .zero, countsAsUse: false) { return snapshot }
            }
            source.meters?.refusedToken(error)
            throw error
        }
    }

    /// Signals each recovery after a token was unavailable; returns when the task is cancelled.
    func notifyRecoveries(_ tell: @Sendable () -> Void) async {
        while !Task.isCancelled {
            let heard = updates.count
            if state.withLock({ $0.isMissed }), case .token = read(for: .zero, countsAsUse: false) {
                state.withLock { $0.isMissed = false }
                tell()
            }
            await updates.wait(after: heard)
        }
    }

    private func obtain(for least: Duration, countsAsUse: Bool) async throws(TokenRefusal) -> TokenSnapshot {
        for _ in 0..<3 {
            let heard = updates.count
            switch await readCurrent(for: least, countsAsUse: countsAsUse) {
            case .token(let snapshot): return snapshot
            case .refused(let refusal): throw refusal
            case .stale(let usable):
                if !isWorthAsking {
                    if let usable { return usable }
                    throw state.withLock { $0.refusal(.unavailable) }
                }
            }
            await renewed(after: heard)
            if Task.isCancelled { break }
        }
        switch read(for: .zero, countsAsUse: countsAsUse) {
        case .token(let snapshot), .stale(.some(let snapshot)): return snapshot
        case .refused(let refusal): throw refusal
        case .stale(nil): throw state.withLock { $0.refusal(.unavailable) }
        }
    }

    /// The result of a report that a server rejected a token.
    enum Refusing: Sendable {
        /// The token will be renewed, for this report or an earlier one.
        case noted
        /// Another token is in use already.
        case replaced
        /// A token was renewed for the same reason a moment ago.
        case tooSoon(wait: Duration)
        /// There is no refresh token.
        case unrenewable
    }

    /// Reports that a server rejected a token.
    @discardableResult
    func refuse(_ isRefused: (AccessToken) -> Bool) -> Refusing {
        guard let snapshot = state.withLock({ $0.snapshot }), isRefused(snapshot.token) else { return .replaced }
        let (refusing, isChange): (Refusing, Bool) = state.withLock { state in
            guard state.snapshot === snapshot else { return (.replaced, false) }
            if snapshot.isRefused.load(ordering: .relaxed) { return (.noted, false) }
            guard state.canRenew(source) else { return (.unrenewable, false) }
            let now = clock.monotonic()
            let wait = state.refusals.wait(at: now)
            guard wait <= .zero else { return (.tooSoon(wait: wait), false) }
            state.refusals.record(at: now)
            state.refusedRotation = max(state.refusedRotation, snapshot.rotation)
            snapshot.isRefused.store(true, ordering: .relaxed)
            return (.noted, true)
        }
        if isChange { renewalRequests.signal() }
        return refusing
    }

    /// A token that replaces a rejected one; the present one where that is another one already.
    func token(
        insteadOf isRefused: (AccessToken) -> Bool,
        for least: Duration
    ) async throws(AuthFailure) -> TokenSnapshot {
        if case .refused(let refusal) = await readCurrent(for: .zero, countsAsUse: true) { throw AuthFailure(refusal) }
        switch refuse(isRefused) {
        case .noted, .replaced: break
        case .tooSoon(let wait): throw .refusedTooSoon(wait: wait)
        case .unrenewable: throw .unrenewable
        }
        return try await apiToken(for: least)
    }

    /// A token for a caller; the request counts as use of the session.
    func apiToken(for least: Duration) async throws(AuthFailure) -> TokenSnapshot {
        do throws(TokenRefusal) {
            return try await token(for: least, countsAsUse: true)
        } catch {
            throw AuthFailure(error, pause: pause)
        }
    }

    /// The pause before the next request after failures.
    var pause: Duration { state.withLock { max(.zero, $0.notBefore - clock.monotonic()) } }

    private var isWorthAsking: Bool {
        state.withLock { state in
            state.notBefore <= clock.monotonic() && (state.canRenew(source) || state.session == nil)
        }
    }

    /// Returns after a further attempt, by the renewing task or by this one.
    private func renewed(after heard: Int) async {
        let isMine = state.withLock { state in
            if state.isRunning || state.isRenewing { return false }
            state.isRenewing = true
            return true
        }
        if isMine {
            await round()
        } else {
            renewalRequests.signal()
            await updates.wait(after: heard)
        }
    }

    /// Returns when no renewal is in progress, or the task is cancelled.
    func settleDown() async {
        while !Task.isCancelled {
            let heard = updates.count
            guard state.withLock({ $0.isRenewing }) else { return }
            await updates.wait(after: heard)
        }
    }

    // MARK: Renewing

    /// Renews tokens when they are due or requested; returns when the task is cancelled.
    func keepRenewing() async {
        state.withLock { $0.isRunning = true }
        defer {
            state.withLock { $0.isRunning = false }
            // Callers that wait for a round make one themselves.
            updates.signal()
        }
        let (clock, wishes) = (clock, renewalRequests)
        while !Task.isCancelled {
            let heard = wishes.count
            let due = state.withLock { $0.untilRenewal(source, clock) }
            if let due, due <= .zero {
                state.withLock { $0.isRenewing = true }
                await round()
                continue
            }
            // At most this long: while a machine sleeps, tokens age and the monotonic clock stops.
            let pause = min(due ?? .seconds(30), .seconds(30))
            await firstOf([
                { try? await clock.sleep(pause) },
                { await wishes.wait(after: heard) },
            ])
        }
    }

    /// One attempt, by one task at a time.
    private func round() async {
        let (now, clock, source) = (state.withLock { $0 }, clock, source)
        let outcome = await renewal.run { session in
            guard session.rotation > now.refusedRotation, session.unansweredRefreshes == 0 else { return false }
            guard let left = session.life.remaining(clock) else { return true }
            guard session.canRenew(source) else { return left > .zero }
            return left > now.lead(of: session)
        }
        await settle(outcome)
        state.withLock { $0.isRenewing = false }
        updates.signal()
    }

    private func settle(_ outcome: Renewal.Outcome) async {
        switch outcome {
        case .settled(let kept):
            // The session may be another one, and locked.
            do throws(StoreFailure) { try await reloadLock() } catch {
                return await settle(.storeFailed(error))
            }
            state.withLock { $0.needsRecovery = false }
            await adopt(kept, as: { .renewed($0) })
            noteSettled()
            await revocations.expedite()
        case .renewed(let kept, let failure):
            await settle(.settled(kept))
            recordFailure(failure)
        case .ended(let kept, let failure):
            await adopt(kept, ended: failure)
            postponeNext(failure)
        case .declined:
            state.withLock { $0.signsInByItself = false }
            noteSettled()
        case .postponed(let failure):
            postpone(failure)
        case .storeFailed(let failure):
            postpone(SignInFailure(.serverError, failure.reason), kind: "store")
        }
    }

    /// A token that is due as soon as it arrives is no reason to renew again at once.
    private func noteSettled() {
        let random = random()
        state.withLock { state in
            guard let session = state.session, session.canRenew(source),
                state.untilRenewal(source, clock).map({ $0 <= .zero }) ?? false
            else {
                state.failures = 0
                state.notBefore = .zero
                return
            }
            state.failures += 1
            state.notBefore = clock.monotonic() + Backoff.pause(after: state.failures, .stillborn, random: random)
        }
    }

    /// Delays the next sign-in without the user after a refusal.
    private func postponeNext(_ failure: SignInFailure) {
        let random = random()
        state.withLock { state in
            guard state.session == nil else { return }
            state.failures += 1
            state.notBefore = clock.monotonic() + Backoff.pause(after: state.failures, failure, random: random)
        }
    }

    private func postpone(_ failure: SignInFailure, kind: String? = nil) {
        guard failure.kind != .cancelled else { return }
        let random = random()
        perform { state in
            state.failures += 1
            state.needsRecovery = false
            let pause = Backoff.pause(after: state.failures, failure, random: random)
            state.notBefore = clock.monotonic() + pause
            let trouble = state.settings.trouble(failure, kind: kind)
            guard state.session == nil, !failure.helpsToRetry else {
                return state.machine.handle(.renewalFailed(trouble))
            }
            return state.machine.handle(.signInFailed(trouble, isBlocked: failure.kind == .blocked, of: nil))
        }
    }
}

/// The pause before a retry.
enum Backoff {
    /// From one second to one minute, with jitter in the upper half; the server's `Retry-After` takes precedence.
    ///
    /// Failures that need the user are retried once an hour: repeating a wrong password closes the account.
    static func pause(
        after failures: Int,
        _ failure: SignInFailure,
        from first: Duration = .seconds(1),
        upTo most: Duration = .seconds(60),
        random: Double
    ) -> Duration {
        guard failure.helpsToRetry else { return .seconds(3_600) }
        let full = min(most, first * (1 << min(failures - 1, 10)))
        return max(full * (0.5 + random / 2), min(failure.retryAfter ?? .zero, .seconds(3_600)))
    }
}

extension SignInFailure {
    fileprivate static let stillborn = SignInFailure(.wrongAnswer, "the server returned an expired token")
}

extension TokenLifetime {
    /// Limits a requested lifetime, so that a token is not renewed in the first tenth of its life.
    func capped(_ requestedLifetime: Duration) -> Duration {
        lifetime.map { min(requestedLifetime, $0 * 0.9) } ?? requestedLifetime
    }
}

extension SessionRecord.Session {
    func canRenew(_ source: GrantSource) -> Bool { grant.refreshToken != nil || source.signsInByItself }
}

extension SessionManager.State {
    func canRenew(_ source: GrantSource) -> Bool { session?.canRenew(source) ?? signsInByItself }

    /// The time until the next renewal; nil where none is due.
    fileprivate func untilRenewal(_ source: GrantSource, _ clock: TimeSource) -> Duration? {
        let allowed = max(.zero, notBefore - clock.monotonic())
        guard let session else {
            guard signsInByItself, machine.task == nil else { return nil }
            return allowed
        }
        if needsRecovery || refusedRotation >= session.rotation { return allowed }
        guard let left = session.life.remaining(clock) else { return nil }
        guard session.canRenew(source) else { return left }
        return max(left - lead(of: session), allowed)
    }

    /// The lead time of a token's renewal.
    fileprivate func lead(of session: SessionRecord.Session) -> Duration {
        max(session.life.renewalMargin(settings.renewBefore) * (1 + jitter / 4), session.life.capped(requestedLifetime))
    }

    func refusal(_ reason: TokenRefusal.Reason) -> TokenRefusal {
        switch reason {
        case .locked:
            TokenRefusal(reason, guidance: (settings.lock?.method ?? .pin).guidance, origin: settings.lock?.origin)
        case .signedOut:
            TokenRefusal(
                reason,
                guidance: machine.trouble?.guidance ?? "Sign in first.",
                origin: machine.trouble?.origin
            )
        case .blocked, .distrusted, .unavailable, .undeclared:
            TokenRefusal(
                reason,
                guidance: machine.trouble?.guidance ?? "No token is available. Try again later.",
                origin: machine.trouble?.origin
            )
        }
    }

    /// Whether the idle time is over, so that the session counts as locked.
    func isOverdue(_ clock: TimeSource) -> Bool {
        guard let rules = settings.lock, case .signedIn = machine.state, var lock = presentLock(clock) else {
            return false
        }
        lock.record(used)
        return rules.mustLock(lock, clock)
    }

    /// The lock record of this session; the initial one where none is stored.
    func presentLock(_ clock: TimeSource) -> LockRecord? {
        guard let session else { return nil }
        if let lock = lock?.record, lock.session == session.id { return lock }
        var lock = session.lock(clock)
        lock.record(used)
        return settings.lock.flatMap { $0.canLock(lock) ? lock : nil }
    }
}
