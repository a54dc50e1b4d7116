import WireBase
import WireConfig
import WireDeviceContract
import WireService
import WireStore

/// Removes the id that the mobile security service knows this installation by; the next report carries another one.
///
/// The last verdict on the app's version stays: a clearing must not switch a withdrawn version on again.
struct SecurityClearing: Clearing {
    let watch: Watch

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        guard scope != .user else { return [] }
        let host = watch.present.host
        try await InstallIdentity(host).forget(everywhere: scope == .all)
        return try await Fault.wrapping { () async throws(StoreFailure) in
            // Former versions kept one id for all environments.
            let former = try await host.stores.values.clear(
                MobileSecurityService.formerSpace,
                keysBeginning: "installation"
            )
            return [Cleared("ids of former versions at the security service", former)]
        }
    }
}
