import Synchronization
import WireAuthContract
import WireBase
import WireSecrets
import WireService
import WireStore

/// The beginning and the end of sessions.
extension SessionManager {
    /// Begins a session from a grant; the session is stored before it is visible.
    ///
    /// Where another process of the group has begun one first, its session stays and this grant is revoked.
    func begin(_ grant: Grant) async throws(StoreFailure) {
        var session = newSession(grant)
        session.pin = state.withLock { $0.pin }
        let record = SessionRecord(content: .session(session), server: source.server)
        let (isFirst, stored) = try await repository.editSession { present throws(StoreFailure) in
            if let present, present.session != nil, present.server == source.server { return false }
            present = record
            return true
        }
        guard isFirst else {
            await reload()
            await revocations.revoke(session)
            return
        }
        state.withLock { state in
            state.signsInByItself = source.signsInByItself
            state.pin = nil
        }
        await adopt(stored, as: { .granted($0) })
    }

    private func newSession(_ grant: Grant) -> SessionRecord.Session {
        SessionRecord.Session(
            id: source.newSession(),
            rotation: 1,
            grant: grant,
            life: TokenLifetime(grant, clock),
            unansweredRefreshes: 0
        )
    }

    /// Revokes a grant that is not used.
    func discard(_ grant: Grant) async { await revocations.revoke(newSession(grant)) }

    /// Ends the session for all processes of the group; returns the session whose tokens are to be revoked.
    ///
    /// The revocation is queued before: after a crash another process continues. With an id, only that session is
    /// ended.
    func signOut(_ reason: SignOutReason, only id: String? = nil) async throws(StoreFailure) -> SessionRecord.Session? {
        let (ended, stored) = try await repository.editSession { record async throws(StoreFailure) in
            guard let present = record, let session = present.session, id ?? session.id == session.id else {
                return nil as (session: SessionRecord.Session, isOurs: Bool)?
            }
            // The tokens of another server cannot be revoked at this one.
            let isOurs = present.server == source.server
            if isOurs { _ = await revocations.prepare(session) }
            record = SessionRecord(content: .signedOut(reason), server: present.server)
            return (session, isOurs)
        }
        guard let ended else {
            // The present session may be that of another process.
            await reload()
            return nil
        }
        state.withLock { $0.signsInByItself = false }
        await adopt(stored)
        // The lock belongs to this session alone, and a failure here does not prevent the revocation.
        try? await repository.removeLock(of: ended.session.id)
        return ended.isOurs ? ended.session : nil
    }

    /// Watches changes of the session by other processes; returns when the task is cancelled.
    func keepWatching() async {
        await repository.follow(clock) { () async throws(StoreFailure) in
            guard await reload() else { throw StoreFailure(.other, "the session cannot be read") }
        }
    }
}
