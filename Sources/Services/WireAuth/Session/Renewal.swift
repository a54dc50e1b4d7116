import Synchronization
import WireAuthContract
import WireBase
import WireService
import WireStore

/// Renews tokens, once at a time for all threads and processes of a group, without losing the session.
///
/// The use of a refresh token is stored before the request, and the new tokens are stored before they are given out.
/// After a crash, the store therefore says which token may have been used, and that token is tried again.
final class Renewal: Sendable {
    private let repository: SessionRepository
    private let source: GrantSource
    private let revocations: Revocations
    private let clock: TimeSource
    private let random: @Sendable () -> Double
    /// A token pair that could not be stored yet; the next attempt stores it first.
    private let unsaved = Mutex<Unsaved?>(nil)

    private struct Unsaved: Sendable {
        let base: SessionRecord.Session?
        let record: SessionRecord
    }

    init(
        _ repository: SessionRepository,
        _ source: GrantSource,
        _ revocations: Revocations,
        clock: TimeSource,
        random: @escaping @Sendable () -> Double
    ) {
        self.repository = repository
        self.source = source
        self.revocations = revocations
        self.clock = clock
        self.random = random
    }

    /// The result of a renewal.
    enum Outcome: Sendable {
        /// The store has been updated: new tokens, another process's new tokens, or the end of the session.
        case settled(Repository<SessionRecord>.Stored?)
        /// As `settled`, but a part of the response was invalid.
        case renewed(Repository<SessionRecord>.Stored?, SignInFailure)
        /// The server's refusal has been stored.
        case ended(Repository<SessionRecord>.Stored, SignInFailure)
        /// A sign-in needs the user after all.
        case declined
        /// A later retry may succeed; the session is unchanged.
        case postponed(SignInFailure)
        case storeFailed(StoreFailure)
    }

    /// Renews until the store holds tokens that satisfy the caller.
    func run(until isGood: @escaping @Sendable (SessionRecord.Session) -> Bool) async -> Outcome {
        do throws(StoreFailure) {
            if let unsaved = unsaved.withLock({ $0 }) { return .settled(try await save(unsaved)) }
            while true {
                let kept = try await repository.session()
                if !isNeeded(kept, isGood) { return .settled(kept) }
                guard let claim = try await repository.claim() else {
                    guard await othersGetThere(after: kept?.version) else {
                        return .postponed(SignInFailure(.offline, "the token refresh by another process timed out"))
                    }
                    if Task.isCancelled {
                        return .postponed(SignInFailure(.cancelled, "the token refresh was cancelled"))
                    }
                    continue
                }
                let outcome = await withLease(claim) { await self.runClaimed(isGood) }
                await repository.giveBack(claim)
                return outcome
            }
        } catch {
            return .storeFailed(error)
        }
    }

    private func isNeeded(
        _ kept: Repository<SessionRecord>.Stored?,
        _ isGood: (SessionRecord.Session) -> Bool
    ) -> Bool {
        if let session = kept?.record.session, kept?.record.server == source.server { return !isGood(session) }
        return source.signsInByItself
    }

    /// Waits for the process with the lease; false after a timeout.
    private func othersGetThere(after version: Int64?) async -> Bool {
        let (repository, clock) = (repository, clock)
        let inTime = Flag(true)
        await withTaskGroup { race in
            race.addTask { await repository.claimable() }
            race.addTask { try? await repository.sessionChanged(from: version) }
            race.addTask {
                guard (try? await clock.sleep(Self.patience)) != nil else { return }
                inTime.value = false
            }
            await race.next()
            race.cancelAll()
        }
        return inTime.value
    }

    // MARK: The request

    private func runClaimed(_ isGood: @Sendable (SessionRecord.Session) -> Bool) async -> Outcome {
        do throws(StoreFailure) {
            // The former holder of the lease may have renewed.
            let kept = try await repository.session()
            guard isNeeded(kept, isGood) else { return .settled(kept) }
            let base = kept.flatMap { $0.record.server == source.server ? $0.record.session : nil }
            if let kept, var marked = base, marked.grant.refreshToken != nil {
                marked.unansweredRefreshes += 1
                let record = SessionRecord(content: .session(marked), server: kept.record.server)
                let marking = try await nilOnConflict { () async throws(StoreFailure) in
                    try await repository.put(record, after: kept.version)
                }
                if marking == nil { return .settled(try await repository.session()) }
            }
            return await ask(base)
        } catch {
            return .storeFailed(error)
        }
    }

    private func ask(_ base: SessionRecord.Session?) async -> Outcome {
        // A lost response is requested again at once: servers that rotate allow that for a moment.
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
        return .postponed(SignInFailure(.offline, "the server did not respond"))
    }

    private func accept(_ grant: Grant, after base: SessionRecord.Session?) async -> Outcome {
        var grant = grant
        if let base {
            // Members that the response omits stay as they were (RFC 6749, section 6).
            grant.refreshToken = grant.refreshToken ?? base.grant.refreshToken
            grant.idToken = grant.idToken ?? base.grant.idToken
            grant.user = grant.user ?? base.grant.user
            if grant.scopes.isEmpty { grant.scopes = base.grant.scopes }
        }
        let session = SessionRecord.Session(
            id: base?.id ?? source.newSession(),
            rotation: (base?.rotation ?? 0) + 1,
            grant: grant,
            life: TokenLifetime(grant, clock),
            unansweredRefreshes: 0,
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

    /// Stores a new pair, even where the task is cancelled meanwhile: the former refresh token is used up.
    private func save(_ new: Unsaved) async throws(StoreFailure) -> Repository<SessionRecord>.Stored? {
        let saving = Task { () async -> Result<Repository<SessionRecord>.Stored?, StoreFailure> in
            do throws(StoreFailure) { return .success(try await replace(with: new)) } catch { return .failure(error) }
        }
        let present = try await saving.value.get()
        // The session was ended or replaced meanwhile: this pair will not be used.
        if let session = new.record.session, present?.record.session?.id != session.id {
            await revocations.revoke(session)
        }
        return present
    }

    /// Replaces the predecessor of a new pair; changes of other processes take precedence.
    private func replace(with new: Unsaved) async throws(StoreFailure) -> Repository<SessionRecord>.Stored? {
        let (_, present) = try await repository.editSession { record throws(StoreFailure) in
            if isSuccessor(new, of: record) { record = new.record }
        }
        unsaved.withLock { $0 = nil }
        return present
    }

    private func isSuccessor(_ new: Unsaved, of present: SessionRecord?) -> Bool {
        guard let base = new.base else {
            return present?.session == nil || present?.server != source.server
        }
        return present?.session?.id == base.id && present?.session?.rotation == base.rotation
    }

    /// Stores the end of a session, unless another process has stored a newer pair.
    private func end(_ base: SessionRecord.Session?, _ failure: SignInFailure) async -> Outcome {
        guard let base else { return .postponed(failure) }
        do throws(StoreFailure) {
            let (isEnded, stored) = try await repository.editSession { record throws(StoreFailure) in
                guard let session = record?.session, session.id == base.id, session.rotation == base.rotation else {
                    return false
                }
                let content: SessionRecord.Content =
                    failure.kind == .blocked ? .blocked(kind: failure.kind.rawValue) : .signedOut(.expired)
                record = SessionRecord(content: content, server: source.server)
                return true
            }
            guard isEnded, let stored else { return .settled(stored) }
            return .ended(stored, failure)
        } catch {
            return .storeFailed(error)
        }
    }

    // MARK: The lease

    /// Runs an operation while the lease is extended, within a timeout.
    private func withLease(
        _ claim: ClaimedWork,
        _ work: @escaping @Sendable () async -> Outcome
    ) async -> Outcome {
        let (repository, clock) = (repository, clock)
        return await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await work() }
            group.addTask {
                while (try? await clock.sleep(SessionRepository.leasePulse)) != nil {
                    // After a lost lease the request continues: the version decides which process may write.
                    guard (try? await repository.extend(claim)) == true else { return nil }
                }
                return nil
            }
            group.addTask {
                // A timeout cancels the request; the mark stays, and the same token is tried again.
                guard (try? await clock.sleep(Self.patience)) != nil else { return nil }
                return .postponed(SignInFailure(.offline, "the server did not respond in time", setting: .url))
            }
            defer { group.cancelAll() }
            while let outcome = await group.next() { if let outcome { return outcome } }
            return .postponed(SignInFailure(.cancelled, "the token refresh was cancelled"))
        }
    }

    static let patience = Duration.seconds(45)
}

extension StoreFailure {
    /// Whether a retry of the write may succeed.
    fileprivate var mayPass: Bool {
        switch kind {
        case .full, .readOnly, .busy, .away, .evicted, .rewound, .other: true
        case .conflict, .corrupt, .newer, .foreign, .broken, .lost, .sealed, .refused, .cancelled, .closed: false
        }
    }
}
