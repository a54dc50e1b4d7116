import Synchronization
import WireAuthContract
import WireBase
import WireSecrets
import WireService
import WireStore

/// How a session begins and ends.
extension SessionKeeper {
    /// Takes over what a sign-in has brought; it is on the disk before anybody sees it.
    ///
    /// Where another process of the group was quicker, its session is the one, and this grant is taken back.
    func begin(_ grant: Grant) async throws(StoreFailure) {
        var session = newSession(grant)
        session.pin = state.withLock { $0.pin }
        let record = SessionRecord(content: .session(session), server: source.server)
        while true {
            let present = try vault.session()
            if let present, present.value.session != nil, present.value.server == source.server {
                adopt(present)
                await revocations.revoke(session)
                return
            }
            do throws(StoreFailure) {
                let version = try await vault.put(record, after: present?.version)
                state.withLock { state in
                    state.signsInByItself = source.signsInByItself
                    state.pin = nil
                }
                adopt(SessionVault.Kept(value: record, version: version), as: { .granted($0) })
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
            life: TokenLife(grant, clock),
            uses: 0
        )
    }

    /// Takes back what was granted for nothing.
    func discard(_ grant: Grant) async { await revocations.revoke(newSession(grant)) }

    /// Ends the session here and for all processes of the group; returns the one whose tokens are to be taken back.
    ///
    /// That they must be is written down before: a process that ends in between leaves it to the next. Where one session is
    /// meant, another one stays.
    func signOut(_ reason: SignOutReason, only id: String? = nil) async throws(StoreFailure) -> SessionRecord.Session? {
        while true {
            let present = try vault.session()
            guard let present, let session = present.value.session, id ?? session.id == session.id else {
                adopt(present)
                return nil
            }
            let record = SessionRecord(content: .signedOut(reason), server: present.value.server)
            // Tokens of another server are nothing this one knows.
            let isOurs = present.value.server == source.server
            if isOurs { _ = await revocations.prepare(session) }
            do throws(StoreFailure) {
                let version = try await vault.put(record, after: present.version)
                state.withLock { $0.signsInByItself = false }
                adopt(SessionVault.Kept(value: record, version: version))
                // Of no use to any other session, and no reason not to take the tokens back.
                try? await vault.removeLock(of: session.id)
                return isOurs ? session : nil
            } catch  where error.kind == .conflict {
                continue
            }
        }
    }

    /// Notices what other processes do to the session; returns when the task is cancelled.
    func keepWatching() async {
        while !Task.isCancelled {
            do throws(StoreFailure) {
                let seen = try vault.latest()
                look()
                _ = try await vault.stores.values.changed(after: seen)
            } catch {
                if (try? await clock.sleep(.seconds(5))) == nil { return }
            }
        }
    }
}
