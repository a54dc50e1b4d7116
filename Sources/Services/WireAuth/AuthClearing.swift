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

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let host = service.present.host
        var removed = ErasedSessions()
        var left: Int?
        if !eraser.isDryRun {
            await eraser.of(.auth).attempt { () async throws(StoreFailure) in left = try await signOut(&removed) }
        }
        // Also the sessions of a store that was used before.
        for eraser in scope == .all ? eraser.ofEachStore : eraser.everywhere(.auth) {
            await eraser.attempt { () async throws(StoreFailure) in
                if scope == .all { return try await SessionRepository.forgetAll(with: eraser, &removed) }
                // An earlier version of the file may have declared another mode.
                let modes: [TokenMode] = scope == .user ? [.user, .appPlus] : TokenMode.allCases
                for mode in modes {
                    let environment = host.environmentScope
                    let repository = SessionRepository(host.stores, environment: environment, mode: mode.rawValue)
                    try await repository.forget(with: eraser, &removed)
                }
            }
        }
        if !eraser.isDryRun {
            // The app's session is not personal data: the app may sign in again by itself.
            for manager in [service.userManager, service.appManager] { await manager?.reload() }
        }
        return [Cleared("sessions with their tokens", removed.sessions), Cleared("locks", removed.locks)]
            + (left.map { [Cleared("sessions that the server still has", $0)] } ?? [])
    }

    /// Signs the user out, and counts the session; returns how many sessions are still to be revoked.
    private func signOut(_ removed: inout ErasedSessions) async throws(StoreFailure) -> Int {
        service.coordinator?.cancel()
        guard let manager = service.userManager else { return 0 }
        // Counted before the sign-out. The record of the ended session is personal data and is erased afterwards.
        let hadLock = (try? await manager.repository.lock()) != nil
        let ended = try await manager.signOut(.user)
        if ended != nil {
            removed.sessions += 1
            if hadLock, (try? await manager.repository.lock()) == nil { removed.locks += 1 }
        }
        return await revoke(ended, manager.revocations)
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
