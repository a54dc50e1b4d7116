import WireBase
import WireConfig
import WireDeviceContract
import WireService
import WireStore

/// Removes the id of this installation at the mobile security service; the next report has a new one.
///
/// The last verdict on the app's version stays: a clearing must not re-enable a withdrawn version.
struct SecurityClearing: Clearing {
    let watch: Watch

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        guard scope != .user else { return [] }
        let host = watch.present.host
        let current = try await InstallIdentity(host).forget(everywhere: scope == .all, with: eraser)
        return try await Fault.wrapping { () async throws(StoreFailure) in
            // Former versions had one id for all environments.
            let former = try await eraser.clear(MobileSecurityService.formerSpace, keysBeginning: "installation")
            return [Cleared("ids of this installation at the security service", current + former)]
        }
    }
}
