import WireBase
import WireConfig
package import WireDeviceContract
package import WireHTTP
package import WireService
import WireTelemetry
import WireWorkContract

/// Manages this device's record, and saves it at the server of the file.
package final class DeviceService: Service {
    package typealias Settings = DeviceSection

    let repository: DeviceRepository
    let registrar: DeviceRegistrar
    private let reader: MetricReader

    private init(_ repository: DeviceRepository) {
        self.repository = repository
        registrar = DeviceRegistrar(repository)
        reader = repository.present.host.metrics.gauge(
            "corewire_device_registered",
            "Whether the current device is saved at the server (1 or 0)."
        ) { [weak repository] in [MetricReading(repository?.record.isSaved ?? false ? 1 : 0)] }
    }

    package static func prepare(_ settings: DeviceSection, in host: DeviceHost) async throws -> DeviceService {
        DeviceService(try await DeviceRepository(settings, in: host))
    }

    package var abilities: [OfferedAbility] { [ServiceAbility.device.offered(by: DeviceView(service: self))] }

    package static let operations = DeviceRoutes.operations
    package var routes: [Route] { DeviceRoutes(self).routes }

    /// Publishes the stored device; hooks and the server are asked once the service runs.
    package func start() async throws {
        try await repository.edit { _ in }
    }

    package func run() async throws {
        let host = repository.present.host
        host.find(.clearings)?.join(DeviceSection.name, DeviceClearing(service: self), in: host.registrations)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.repository.follow() }
            group.addTask { await self.setUp() }
            group.addTask { await untilCancelled() }
        }
    }

    package func stop() async { repository.finish() }

    /// Sets up the device as the file says, and saves it.
    private func setUp() async {
        let host = repository.present.host
        host.uses.outbox?.register(DeviceSection.name, registrar, in: host.registrations)
        await begin()
    }

    /// Sets the device to the file's values and stored data.
    func begin() async {
        do throws(Fault) {
            _ = try await DeviceSetup(repository).perform()
            if repository.present.settings.register == .automatic { try await registrar.save() }
        } catch {
            if !Task.isCancelled { registrar.report(error) }
        }
    }
}

/// The calls of the device, used by other services and the embedding program.
extension DeviceService {
    /// A snapshot of the device.
    package var device: KnownDevice { repository.record.device }

    package func changes() -> AsyncStream<KnownDevice> { repository.changes() }

    var report: DeviceReport { DeviceReport(repository.record, repository.present.settings.register) }

    /// Changes the device; returns it when it is on the disk, and saves it at the server where the file says so.
    @discardableResult
    package func change(_ change: @escaping @Sendable (inout KnownDevice) -> Void) async throws(DeviceFailure)
        -> KnownDevice
    {
        let settings = repository.present.settings
        var draft = repository.record.device
        change(&draft)
        if let failure = failure(of: draft, after: repository.record.device, settings) { throw failure }
        let checkedDraft = draft
        return try await stored { () async throws(Fault) in
            let record = try await repository.edit { record in
                let id = record.device.id
                change(&record.device)
                record.device.id = id
                // Another process was quicker, and both changes together exceed a limit.
                if DeviceLimits.objection(to: record.device) != nil { record.device = checkedDraft }
            }
            if settings.register == .automatic { try await registrar.save() }
            return record.device
        }
    }

    /// Whether the server has the present device; if not, with a help text.
    var registrationState: DeviceRegistrationState {
        let settings = repository.present.settings
        let report = report
        let reason = report.reason ?? ""
        switch report.registration {
        case .registered: return .saved
        case .pending: return .pending
        case .refused:
            let origin = origin(settings.$url, "url")
            return .refused(
                Fault(
                    "the device was rejected: \(reason)",
                    help: "run 'corewire device register' to try again",
                    origin: origin
                )
            )
        case .never:
            return .untold(
                Fault(
                    "the file has 'register: never'",
                    help: "set 'register' of 'device' to 'automatic'",
                    origin: origin(settings.$register, "register")
                )
            )
        case .onRequest, .removed:
            return .untold(
                Fault("the device is not saved: \(reason)", help: "run 'corewire device register' to save it")
            )
        }
    }

    /// Gives the device a new name.
    func newAlias() async throws(DeviceFailure) -> String {
        try await stored { () async throws(Fault) in try DeviceAlias.new(in: repository.present.host) }
    }

    /// Saves the device at the server, even unchanged.
    package func register() async throws(DeviceFailure) {
        let settings = repository.present.settings
        guard settings.register != .never else {
            throw DeviceFailure(
                .neverRegistered,
                "the file has 'register: never'",
                help: "set 'register' of 'device' to 'onRequest' or 'automatic'",
                origin: origin(settings.$register, "register")
            )
        }
        try await stored { () async throws(Fault) in
            _ = try await DeviceSetup(repository).perform()
            try await repository.edit { record in
                record.isRemoved = false
                record.refusal = nil
                record.revision += 1
            }
            try await registrar.save()
        }
    }

    /// Removes the device here, and at the server where that supports it, until a caller registers it again.
    package func remove() async throws(DeviceFailure) {
        try await stored { () async throws(Fault) in
            let former = repository.record.device.id
            let host = repository.present.host
            let isDeclared = repository.present.settings.alias != nil
            let name = isDeclared ? repository.record.device.alias : try DeviceAlias.new(in: host)
            let record = try await repository.edit { record in
                record.forgetServer()
                record.device = KnownDevice(id: nil, alias: name, email: nil, tags: [], tokens: [])
                record.declared = []
                record.isRemoved = true
                record.revision += 1
                // The request of an earlier removal may still wait.
                if former != nil { record.removal = record.revision }
            }
            host.log.notice("the device was removed")
            host.emit(DeviceEvents.removed, DeviceEvent())
            registrar.heal()
            guard let former, repository.present.settings.register != .never else { return }
            try await registrar.remove(former, record)
        }
    }

    private func stored<Answer>(_ work: () async throws(Fault) -> Answer) async throws(DeviceFailure) -> Answer {
        do throws(Fault) {
            return try await work()
        } catch {
            throw DeviceFailure(.unavailable, error.reason, help: error.help, origin: error.origin)
        }
    }

    private func failure(of device: KnownDevice, after former: KnownDevice, _ settings: DeviceSection) -> DeviceFailure?
    {
        if settings.alias != nil, device.alias != former.alias {
            return declared("alias", origin(settings.$alias, "alias"))
        }
        if settings.email != nil, device.email != former.email {
            return declared("email", origin(settings.$email, "email"))
        }
        for item in settings.tags.items {
            let (now, before) = (device.tags, former.tags)
            guard
                now.first(where: { $0.name == item.name })?.value
                    != before.first(where: { $0.name == item.name })?.value
            else { continue }
            return declared("tag '\(item.name)'", origin(item.place, "tags.\(item.name)"))
        }
        return DeviceLimits.objection(to: device).map { DeviceFailure(.invalid, $0) }
    }

    private func declared(_ what: String, _ origin: ValueOrigin?) -> DeviceFailure {
        DeviceFailure(
            .declared,
            "the file sets the \(what) of the device",
            help: "change it in the file",
            origin: origin
        )
    }

    private func origin(_ place: Place, _ key: String) -> ValueOrigin? {
        repository.present.host.places.origin(of: place, "device.\(key)")
    }
}

/// The device as other services see it.
private struct DeviceView: DeviceRegistering {
    let service: DeviceService

    var device: KnownDevice { service.device }
    var registrationState: DeviceRegistrationState { service.registrationState }
    func changes() -> AsyncStream<KnownDevice> { service.changes() }

    func change(_ change: @escaping @Sendable (inout KnownDevice) -> Void) async throws(Fault) {
        try await told { () async throws(DeviceFailure) in _ = try await service.change(change) }
    }

    func save() async throws(Fault) {
        try await told { () async throws(DeviceFailure) in try await service.register() }
    }

    private func told(_ work: () async throws(DeviceFailure) -> Void) async throws(Fault) {
        try await Fault.wrapping(work)
    }
}
