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

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        guard scope == .user else {
            startsOver.withLock { $0 = !eraser.isDryRun }
            let host = service.repository.present.host
            try await InstallIdentity(host).forget(everywhere: scope == .all, with: eraser)
            let count = try await service.repository.forget(everywhere: scope == .all, with: eraser)
            return [Cleared("records of the device", count)]
        }
        let settings = service.repository.present.settings
        let declared = Set(settings.tags.items.map(\.name))
        let isDeclared = settings.email != nil
        let former = service.repository.record.device
        let strip = { @Sendable (record: inout DeviceRecord) in
            record.device.tags.removeAll { $0.kind == .custom && !declared.contains($0.name) }
            if !isDeclared { record.device.email = nil }
        }
        var record = service.repository.record
        if eraser.isDryRun { strip(&record) } else { record = try await service.repository.edit(strip) }
        // The server should not know more about the user than this device does.
        if !eraser.isDryRun, record.device != former, settings.register == .automatic {
            try await service.registrar.save()
        }
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
