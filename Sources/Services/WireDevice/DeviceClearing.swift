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
    private let startsOver = Mutex(false)

    init(service: DeviceService) { self.service = service }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        guard scope == .user else {
            startsOver.withLock { $0 = true }
            try await InstallIdentity(service.repository.present.host).forget(everywhere: scope == .all)
            return [Cleared("records of the device", try await service.repository.forget(everywhere: scope == .all))]
        }
        let settings = service.repository.present.settings
        let declared = Set(settings.tags.items.map(\.name))
        let isDeclared = settings.email != nil
        let former = service.repository.record.device
        let record = try await service.repository.edit { record in
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
        let mustBegin = startsOver.withLock { begins in
            defer { begins = false }
            return begins
        }
        if mustBegin { await service.begin() }
    }
}
