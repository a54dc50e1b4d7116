import Synchronization
import WireAuthContract
import WireBase
import WireService
import WireStore

/// Gets new tokens, once at a time for all threads and processes of a group, and never loses a session over it.
///
/// Before a refresh token is used it is written down that it is about to be, and what comes back is on the disk before
/// anybody sees it. So whenever a process dies, the store says which token the server knows: the one that was about to be
/// used may have been, and is tried again.
final class Renewal: Sendable {
    private let vault: SessionVault
    private let source: GrantSource
    private let revocations: Revocations
    private let clock: Clockwork
    private let random: @Sendable () -> Double
    private let owner: String
    /// A pair the server has given that the store would not take: the next attempt begins with it.
    private let unsaved = Mutex<Unsaved?>(nil)

    private struct Unsaved: Sendable {
        let base: SessionRecord.Session?
        let record: SessionRecord
    }

    init(
        _ vault: SessionVault,
        _ source: GrantSource,
        _ revocations: Revocations,
        owner: String,
        clock: Clockwork,
        random: @escaping @Sendable () -> Double
    ) {
        self.vault = vault
        self.source = source
        self.revocations = revocations
        self.owner = owner
        self.clock = clock
        self.random = random
    }

    /// What came of it.
    enum Outcome: Sendable {
        /// The store has it: new tokens, somebody else's new tokens, or the end of the session.
        case settled(SessionVault.Kept<SessionRecord>?)
        /// The same, and something of the answer could not be believed.
        case renewed(SessionVault.Kept<SessionRecord>?, SignInFailure)
        /// The server's clear no has been written down.
        case ended(SessionVault.Kept<SessionRecord>, SignInFailure)
        /// No user is signed in without being asked to, after all.
        case declined
        /// It may go better later; the session is as it was.
        case postponed(SignInFailure)
        case storeFailed(StoreFailure)
    }

    /// Sees to it that the store holds tokens a caller is content with.
    func run(until isGood: @escaping @Sendable (SessionRecord.Session) -> Bool) async -> Outcome {
        do throws(StoreFailure) {
            if let unsaved = unsaved.withLock({ $0 }) { return .settled(try await save(unsaved)) }
            while true {
                let kept = try vault.session()
                if !isNeeded(kept, isGood) { return .settled(kept) }
                guard let claim = try await vault.claim(by: owner) else {
                    guard await othersGetThere(after: kept?.version) else {
                        return .postponed(SignInFailure(.offline, "another process has been asking for too long"))
                    }
                    if Task.isCancelled { return .postponed(SignInFailure(.cancelled, "it was given up")) }
                    continue
                }
                let outcome = await withLease(claim) { await self.runClaimed(isGood) }
                await vault.giveBack(claim)
                return outcome
            }
        } catch {
            return .storeFailed(error)
        }
    }

    private func isNeeded(
        _ kept: SessionVault.Kept<SessionRecord>?,
        _ isGood: (SessionRecord.Session) -> Bool
    ) -> Bool {
        if let session = kept?.value.session, kept?.value.server == source.server { return !isGood(session) }
        return source.signsInByItself
    }

    /// Waits for who has the right to renew; false when that has taken too long.
    private func othersGetThere(after version: Int64?) async -> Bool {
        let (vault, clock) = (vault, clock)
        let inTime = Flag(true)
        await withTaskGroup { race in
            race.addTask { await vault.claimable() }
            race.addTask {
                guard let seen = try? vault.latest(), (try? vault.session()?.version) == version else { return }
                _ = try? await vault.stores.values.changed(after: seen)
            }
            race.addTask {
                guard (try? await clock.sleep(Self.patience)) != nil else { return }
                inTime.value = false
            }
            await race.next()
            race.cancelAll()
        }
        return inTime.value
    }

    // MARK: Asking the server

    private func runClaimed(_ isGood: @Sendable (SessionRecord.Session) -> Bool) async -> Outcome {
        do throws(StoreFailure) {
            // Whoever had the right before may have done it.
            let kept = try vault.session()
            guard isNeeded(kept, isGood) else { return .settled(kept) }
            let base = kept.flatMap { $0.value.server == source.server ? $0.value.session : nil }
            if let kept, var marked = base, marked.grant.refreshToken != nil {
                marked.uses += 1
                let record = SessionRecord(content: .session(marked), server: kept.value.server)
                do throws(StoreFailure) {
                    _ = try await vault.put(record, after: kept.version)
                } catch  where error.kind == .conflict {
                    return .settled(try vault.session())
                }
            }
            return await ask(base)
        } catch {
            return .storeFailed(error)
        }
    }

    private func ask(_ base: SessionRecord.Session?) async -> Outcome {
        // An answer that was lost on its way is asked for again at once: servers that rotate forgive that for a moment.
        var lost: SignInFailure?
        for attempt in 0..<2 {
            do throws(SignInFailure) {
                guard let grant = try await source.grant(after: base) else { return .declined }
                let outcome = await accept(grant, after: base)
                guard let remark = grant.remark, case .settled(let kept) = outcome else { return outcome }
                return .renewed(kept, remark)
            } catch {
                if error.endsSession { return await end(base, error.following(lost)) }
                lost = error
                let mayBeLost =
                    attempt == 0 && (error.mayHaveTakenEffect || error.kind == .offline)
                    && base?.grant.refreshToken != nil
                guard mayBeLost, !Task.isCancelled else { return .postponed(error) }
                try? await clock.sleep(.milliseconds(50 + Int64(random() * 200)))
            }
        }
        return .postponed(SignInFailure(.offline, "the server did not answer"))
    }

    private func accept(_ grant: Grant, after base: SessionRecord.Session?) async -> Outcome {
        var grant = grant
        if let base {
            // What an answer does not repeat stays as it was (RFC 6749, section 6).
            grant.refreshToken = grant.refreshToken ?? base.grant.refreshToken
            grant.idToken = grant.idToken ?? base.grant.idToken
            grant.user = grant.user ?? base.grant.user
            if grant.scopes.isEmpty { grant.scopes = base.grant.scopes }
        }
        let session = SessionRecord.Session(
            id: base?.id ?? source.newSession(),
            rotation: (base?.rotation ?? 0) + 1,
            grant: grant,
            life: TokenLife(grant, clock),
            uses: 0,
            pin: base?.pin
        )
        let record = SessionRecord(content: .session(session), server: source.server)
        let new = Unsaved(base: base, record: record)
        unsaved.withLock { $0 = new }
        var pause = Duration.milliseconds(100)
        for _ in 0..<4 {
            do throws(StoreFailure) {
                return .settled(try await save(new))
            } catch {
                guard error.mayPass else { return .storeFailed(error) }
                if (try? await clock.sleep(pause)) == nil { return .storeFailed(error) }
                pause *= 4
            }
        }
        do throws(StoreFailure) { return .settled(try await save(new)) } catch { return .storeFailed(error) }
    }

    /// Writes a new pair down in place of the one it came from; what others have done since comes first.
    private func save(_ new: Unsaved) async throws(StoreFailure) -> SessionVault.Kept<SessionRecord>? {
        while true {
            let present = try vault.session()
            guard isSuccessor(new, of: present?.value) else {
                unsaved.withLock { $0 = nil }
                // Somebody has signed out, or signed in anew: nobody will use this pair.
                if let session = new.record.session, present?.value.session?.id != session.id {
                    await revocations.revoke(session)
                }
                return present
            }
            do throws(StoreFailure) {
                let version = try await vault.put(new.record, after: present?.version)
                unsaved.withLock { $0 = nil }
                return SessionVault.Kept(value: new.record, version: version)
            } catch  where error.kind == .conflict {
                continue
            }
        }
    }

    private func isSuccessor(_ new: Unsaved, of present: SessionRecord?) -> Bool {
        guard let base = new.base else {
            return present?.session == nil || present?.server != source.server
        }
        return present?.session?.id == base.id && present?.session?.rotation == base.rotation
    }

    /// Writes the end of a session down, unless another process has a newer pair after all.
    private func end(_ base: SessionRecord.Session?, _ failure: SignInFailure) async -> Outcome {
        guard let base else { return .postponed(failure) }
        do throws(StoreFailure) {
            while true {
                guard let present = try vault.session(), let session = present.value.session,
                    session.id == base.id, session.rotation == base.rotation
                else { return .settled(try vault.session()) }
                let content: SessionRecord.Content =
                    failure.kind == .blocked ? .blocked(kind: failure.kind.rawValue) : .signedOut(.expired)
                let record = SessionRecord(content: content, server: source.server)
                do throws(StoreFailure) {
                    let version = try await vault.put(record, after: present.version)
                    return .ended(SessionVault.Kept(value: record, version: version), failure)
                } catch  where error.kind == .conflict {
                    continue
                }
            }
        } catch {
            return .storeFailed(error)
        }
    }

    // MARK: The lease

    /// Does something while the lease is kept alive, within a time that no server needs.
    private func withLease(
        _ claim: ClaimedWork,
        _ work: @escaping @Sendable () async -> Outcome
    ) async -> Outcome {
        let (vault, clock) = (vault, clock)
        return await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await work() }
            group.addTask {
                while (try? await clock.sleep(SessionVault.leasePulse)) != nil {
                    // Where it is lost the work goes on: what is asked is asked, and the version decides who may write.
                    guard (try? await vault.extend(claim)) == true else { return nil }
                }
                return nil
            }
            group.addTask {
                // Giving up cancels the question; the mark stays, and the same token is tried again.
                guard (try? await clock.sleep(Self.patience)) != nil else { return nil }
                return .postponed(SignInFailure(.offline, "the server has not answered in time", setting: .url))
            }
            defer { group.cancelAll() }
            while let outcome = await group.next() { if let outcome { return outcome } }
            return .postponed(SignInFailure(.cancelled, "it was given up"))
        }
    }

    static let patience = Duration.seconds(45)
}

extension StoreFailure {
    /// Whether writing may succeed if it is tried again.
    fileprivate var mayPass: Bool {
        switch kind {
        case .full, .readOnly, .busy, .other: true
        case .conflict, .corrupt, .newer, .foreign, .broken, .lost, .sealed, .refused, .cancelled, .closed: false
        }
    }
}
