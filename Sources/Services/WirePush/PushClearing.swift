import Synchronization
import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WirePushContract
import WireService

/// Removes all push data and asks servers to end registrations: those of other environments only when everything is
/// removed, those of the device not when only user data is.
final class PushClearing: Clearing {
    private let service: PushService
    /// The number of registrations that servers have ended, and have not.
    private let farewell = Mutex<(ended: Int, left: Int)>((0, 0))

    init(service: PushService) { self.service = service }

    /// Runs before users are signed out: afterwards no request can be made in their name.
    func pause(_ scope: ClearingScope) async {
        let said = await PushUnregistration(reconciler: service.reconciler, service: service).perform(
            onlyUsers: scope == .user
        )
        farewell.withLock { $0 = said }
    }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        let removed = try await Fault.wrapping { () async throws(PushFailure) in
            scope == .user
                ? try await service.clearUsers(with: eraser)
                : try await service.clear(everybody: true, with: eraser)
        }
        if scope != .user {
            try await service.reconciler.install.forget(everywhere: scope == .all, with: eraser)
            if service.reconciler.host.uses.device == nil {
                try await DeviceAlias.forget(in: service.reconciler.host, everywhere: scope == .all, with: eraser)
            }
        }
        var cleared = [
            Cleared(scope == .user ? "push registrations of users" : "push registrations", removed.registrations.count)
        ]
        if !eraser.isDryRun {
            let said = farewell.withLock { $0 }
            cleared += [
                Cleared("registrations ended at their servers", said.ended),
                Cleared("registrations that servers still have", said.left),
            ]
        }
        cleared += [Cleared("push tokens", removed.tokens), Cleared("JWTs of push servers", removed.jwts)]
        if scope == .all {
            let others = try await service.reconciler.repository.forgetOthers(with: eraser)
            cleared.append(Cleared("push data of other environments", others))
        }
        return cleared
    }

    func resume() async { service.reconciler.poke() }
}
