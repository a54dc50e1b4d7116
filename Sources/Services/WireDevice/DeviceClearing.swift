import Synchronization
import WireBase
import WireConfig
import WireDeviceContract
import WireService

/// Removes user data from the device; the device itself keeps its name and push tokens.
///
/// Clearing an environment removes the device, which then gets a new name.
final class DeviceClearing: Clearing {
    private let service: DeviceService
    private let beginsAnew = Mutex(false)

    init(service: DeviceService) { self.service = service }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        guard scope == .user else {
            beginsAnew.withLock { $0 = true }
            try await InstallIdentity(service.keeper.present.host).forget(everywhere: scope == .all)
            return [Cleared("records of the device", try await service.keeper.forget(everywhere: scope == .all))]
        }
        let settings = service.keeper.present.settings
        let declared = Set(settings.tags.items.map(\.name))
        let isDeclared = settings.email != nil
        let former = service.keeper.record.device
        let record = try await service.keeper.edit { record in
            record.device.tags.removeAll { $0.kind == .custom && !declared.contains($0.name) }
            if !isDeclared { record.device.email = nil }
        }
        // The server should not know more about the user than this device does.
        if record.device != former, settings.register == .automatic { try await service.registrar.save() }
        return [
            Cleared("tags of the device", former.tags.count - record.device.tags.count),
            Cleared("e-mail addresses of the device", former.email != nil && record.device.email == nil ? 1 : 0),
        ]
    }

    func resume() async {
        let mustBegin = beginsAnew.withLock { begins in
            defer { begins = false }
            return begins
        }
        if mustBegin { await service.begin() }
    }
}
