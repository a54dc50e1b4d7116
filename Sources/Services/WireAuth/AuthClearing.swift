import WireAuthContract
import WireBase
import WireConfig
import WireService
import WireStore

/// Signs whoever is signed in out, here and for all processes of the group, and leaves no trace of that.
///
/// First of all who keep anything: from then on nobody sends anything in the user's name. The server is asked to take the
/// tokens back, for as long as a caller may wait for that; where it cannot be reached they end by themselves, for nothing is
/// kept to ask with later.
struct AuthClearing: Clearing {
    let service: AuthService

    private static let patience = Duration.seconds(5)

    var turn: ClearingTurn { .identity }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        try await Fault.wrapping { () async throws(StoreFailure) in
            service.desk?.cancel()
            var (sessions, locks, left) = (0, 0, 0)
            if let keeper = service.userKeeper {
                // What is ended here is what there was; the record of its end is a trace, and goes below.
                let hadLock = (try? keeper.vault.lock()) != nil
                let ended = try await keeper.signOut(.user)
                if ended != nil {
                    sessions += 1
                    if hadLock, (try? keeper.vault.lock()) == nil { locks += 1 }
                }
                left = await revoke(ended, keeper.revocations)
            }
            let host = service.present.host
            // Another mode of the file may have left another one's.
            let modes: [TokenMode] = scope == .user ? [.user, .appPlus] : TokenMode.allCases
            for mode in modes {
                let vault = SessionVault(host.stores, environment: host.environmentScope, mode: mode.rawValue)
                let removed = try await vault.forget()
                (sessions, locks) = (sessions + removed.sessions, locks + removed.locks)
            }
            if scope == .all {
                let removed = try await SessionVault.forgetAll(in: host.stores)
                (sessions, locks) = (sessions + removed.sessions, locks + removed.locks)
            }
            // The app signs in by itself where it may, and is somebody else than its user.
            for keeper in [service.userKeeper, service.appKeeper] { keeper?.look() }
            return [
                Cleared("sessions with their tokens", sessions), Cleared("locks", locks),
                Cleared("sessions that the server still has", left),
            ]
        }
    }

    /// Has the server take back the tokens of a session, and whatever else waits for that; how many sessions it still has when
    /// it has answered, or the time is over.
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
