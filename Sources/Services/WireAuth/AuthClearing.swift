import WireAuthContract
import WireBase
import WireConfig
import WireService
import WireStore

/// Signs the user out for all processes of the group, and erases the session's records.
///
/// The keepers are cleared first, so that no request is sent in the user's name any more. The server is then asked to
/// revoke the tokens, within the time a caller may wait. Where the server is unreachable, the tokens expire by
/// themselves: nothing is kept for a retry.
struct AuthClearing: Clearing {
    let service: AuthService

    private static let patience = Duration.seconds(5)

    var turn: ClearingTurn { .identity }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        try await Fault.wrapping { () async throws(StoreFailure) in
            service.coordinator?.cancel()
            var (sessions, locks, left) = (0, 0, 0)
            if let manager = service.userManager {
                // Counted before the sign-out. The record of the ended session is personal data and is erased below.
                let hadLock = (try? manager.repository.lock()) != nil
                let ended = try await manager.signOut(.user)
                if ended != nil {
                    sessions += 1
                    if hadLock, (try? manager.repository.lock()) == nil { locks += 1 }
                }
                left = await revoke(ended, manager.revocations)
            }
            let host = service.present.host
            // An earlier version of the file may have declared another mode.
            let modes: [TokenMode] = scope == .user ? [.user, .appPlus] : TokenMode.allCases
            for mode in modes {
                let repository = SessionRepository(host.stores, environment: host.environmentScope, mode: mode.rawValue)
                let removed = try await repository.forget()
                (sessions, locks) = (sessions + removed.sessions, locks + removed.locks)
            }
            if scope == .all {
                let removed = try await SessionRepository.forgetAll(in: host.stores)
                (sessions, locks) = (sessions + removed.sessions, locks + removed.locks)
            }
            // The app's session is not personal data: the app may sign in again by itself.
            for manager in [service.userManager, service.appManager] { manager?.reload() }
            return [
                Cleared("sessions with their tokens", sessions), Cleared("locks", locks),
                Cleared("sessions that the server still has", left),
            ]
        }
    }

    /// Revokes the tokens of a session and all queued ones; returns how many sessions are still to be revoked.
    private func revoke(_ ended: SessionRecord.Session?, _ revocations: Revocations) async -> Int {
        let clock = service.present.host.clock
        return await withTaskGroup(of: Int?.self) { race in
            race.addTask {
                if let ended { await revocations.revoke(ended) }
                return try? await revocations.tryAll()
            }
            race.addTask {
                try? await clock.sleep(Self.patience)
                return nil
            }
            defer { race.cancelAll() }
            return await race.next().flatMap { $0 } ?? revocations.count
        }
    }
}
