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
        while true {
            let present = try repository.session()
            if let present, present.value.session != nil, present.value.server == source.server {
                adopt(present)
                await revocations.revoke(session)
                return
            }
            do throws(StoreFailure) {
                let version = try await repository.put(record, after: present?.version)
                state.withLock { state in
                    state.signsInByItself = source.signsInByItself
                    state.pin = nil
                }
                adopt(SessionRepository.Versioned(value: record, version: version), as: { .granted($0) })
                return
            } catch  where error.kind == .conflict {
                continue
            }
        }
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
        while true {
            let present = try repository.session()
            guard let present, let session = present.value.session, id ?? session.id == session.id else {
                adopt(present)
                return nil
            }
            let record = SessionRecord(content: .signedOut(reason), server: present.value.server)
            // The tokens of another server cannot be revoked at this one.
            let isOurs = present.value.server == source.server
            if isOurs { _ = await revocations.prepare(session) }
            do throws(StoreFailure) {
                let version = try await repository.put(record, after: present.version)
                state.withLock { $0.signsInByItself = false }
                adopt(SessionRepository.Versioned(value: record, version: version))
                // The lock belongs to this session alone, and a failure here does not prevent the revocation.
                try? await repository.removeLock(of: session.id)
                return isOurs ? session : nil
            } catch  where error.kind == .conflict {
                continue
            }
        }
    }

    /// Watches changes of the session by other processes; returns when the task is cancelled.
    func keepWatching() async {
        while !Task.isCancelled {
            do throws(StoreFailure) {
                let seen = try repository.latest()
                reload()
                _ = try await repository.stores.values.changed(after: seen)
            } catch {
                if (try? await clock.sleep(.seconds(5))) == nil { return }
            }
        }
    }
}
