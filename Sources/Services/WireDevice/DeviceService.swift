import WireBase
package import WireConfig
package import WireHTTP
package import WireService
import WireTelemetry

/// Keeps what is known of this device, and has the server of the file know it as well.
package final class DeviceService: Service {
    package typealias Settings = DeviceSection

    let keeper: DeviceKeeper
    let registrar: DeviceRegistrar
    private let reader: MetricReader

    private init(_ keeper: DeviceKeeper) {
        self.keeper = keeper
        registrar = DeviceRegistrar(keeper)
        reader = keeper.present.host.metrics.gauge(
            "corewire_device_registered",
            "Whether the server knows the device as it is."
        ) { [weak keeper] in [MetricReading(keeper?.record.isSaved ?? false ? 1 : 0)] }
    }

    package static func prepare(_ settings: DeviceSection, in host: ServiceHost) async throws -> DeviceService {
        DeviceService(try DeviceKeeper(settings, in: host))
    }

    package var abilities: [OfferedAbility] { [Ability.device.offered(by: KeptDevice(service: self))] }

    package static let operations = DeviceRoutes.operations
    package var routes: [Route] { DeviceRoutes(self).routes }

    /// What is kept is known from here on; whoever changes it and the server are asked while it runs.
    package func start() async throws {
        try await keeper.edit { _ in }
    }

    package func run() async throws {
        let host = keeper.present.host
        host.find(.clearings)?.join(DeviceSection.name, DeviceClearing(service: self), in: host.registrations)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.keeper.follow() }
            group.addTask { await self.setUp() }
            group.addTask { await untilCancelled() }
        }
    }

    package func stop() async { keeper.finish() }

    /// Begins as the file says it is to be, and has it saved.
    private func setUp() async {
        let host = keeper.present.host
        host.find(.outbox)?.attend(DeviceSection.name, registrar, in: host.registrations)
        await begin()
    }

    /// Makes the device what the file says, with what is kept of it.
    func begin() async {
        do throws(Fault) {
            _ = try await DeviceSetup(keeper).perform()
            if keeper.present.settings.register == .automatic { try await registrar.save() }
        } catch {
            if !Task.isCancelled { registrar.tell(error) }
        }
    }
}

/// What can be asked of the device; the local API, other services and code in this process ask alike.
extension DeviceService {
    /// What is known of the device; a snapshot.
    package var device: KnownDevice { keeper.record.device }

    package func changes() -> AsyncStream<KnownDevice> { keeper.changes() }

    /// Changes the device; returns it when that is on the disk, and has it saved where the file says so.
    @discardableResult
    package func change(_ change: @escaping @Sendable (inout KnownDevice) -> Void) async throws(DeviceRefusal)
        -> KnownDevice
    {
        let settings = keeper.present.settings
        var draft = keeper.record.device
        change(&draft)
        if let refusal = refusal(of: draft, after: keeper.record.device, settings) { throw refusal }
        let judged = draft
        do throws(Fault) {
            let record = try await keeper.edit { record in
                let id = record.device.id
                change(&record.device)
                record.device.id = id
                // Somebody else was quicker, and both together are too much.
                if DeviceLimits.objection(to: record.device) != nil { record.device = judged }
            }
            if settings.register == .automatic { try await registrar.save() }
            return record.device
        } catch {
            throw DeviceRefusal(.notKept, error.reason, help: error.help, origin: error.origin)
        }
    }

    /// Whether the server knows it so; where it does not, what to do is said.
    var standing: DeviceStanding {
        let settings = keeper.present.settings
        let report = DeviceReport(keeper.record, settings.register)
        let reason = report.reason ?? ""
        switch report.registration {
        case .registered: return .saved
        case .pending: return .pending
        case .refused:
            let origin = origin(settings.$url, "url")
            return .refused(
                Fault(
                    "the device was refused: \(reason)",
                    help: "'corewire device register' tries it again",
                    origin: origin
                )
            )
        case .never:
            return .untold(
                Fault(
                    "the file says that servers are not told of the device",
                    help: "set 'register' of 'device' to 'automatic'",
                    origin: origin(settings.$register, "register")
                )
            )
        case .onRequest, .removed:
            return .untold(Fault("the device is not told: \(reason)", help: "'corewire device register' saves it"))
        }
    }

    /// A name that it never had.
    func newAlias() async throws(DeviceRefusal) -> String {
        do throws(Fault) {
            return try await DeviceAlias.new(in: keeper.present.host)
        } catch {
            throw DeviceRefusal(.notKept, error.reason, help: error.help)
        }
    }

    /// Has the device saved at the server, also where nothing of it has changed.
    package func register() async throws(DeviceRefusal) {
        let settings = keeper.present.settings
        guard settings.register != .never else {
            throw DeviceRefusal(
                .never,
                "the file says that servers are not told of the device",
                help: "set 'register' of 'device' to 'onRequest' or 'automatic'",
                origin: origin(settings.$register, "register")
            )
        }
        do throws(Fault) {
            _ = try await DeviceSetup(keeper).perform()
            try await keeper.edit { record in
                record.isRemoved = false
                record.refusal = nil
                record.revision += 1
            }
            try await registrar.save()
        } catch {
            throw DeviceRefusal(.notKept, error.reason, help: error.help, origin: error.origin)
        }
    }

    /// Forgets the device: here at once, and at the server where that can; it stays so until somebody registers it anew.
    package func remove() async throws(DeviceRefusal) {
        do throws(Fault) {
            let former = keeper.record.device.id
            let host = keeper.present.host
            let isDeclared = keeper.present.settings.alias != nil
            let name = isDeclared ? keeper.record.device.alias : try await DeviceAlias.new(in: host)
            let record = try await keeper.edit { record in
                record.forgetServer()
                record.device = KnownDevice(id: nil, alias: name, email: nil, tags: [], tokens: [])
                record.declared = []
                record.isRemoved = true
                record.revision += 1
            }
            host.log.notice("the device was removed")
            host.events.emit("device.removed", generation: host.generation, .members([:]))
            registrar.heal()
            guard let former, keeper.present.settings.register != .never else { return }
            try await registrar.remove(former, record)
        } catch {
            throw DeviceRefusal(.notKept, error.reason, help: error.help, origin: error.origin)
        }
    }

    private func refusal(of device: KnownDevice, after former: KnownDevice, _ settings: DeviceSection) -> DeviceRefusal?
    {
        if settings.alias != nil, device.alias != former.alias {
            return .declared("alias", origin(settings.$alias, "alias"))
        }
        if settings.email != nil, device.email != former.email {
            return .declared("email", origin(settings.$email, "email"))
        }
        for item in settings.tags.items {
            let (now, before) = (device.tags, former.tags)
            guard
                now.first(where: { $0.name == item.name })?.value
                    != before.first(where: { $0.name == item.name })?.value
            else { continue }
            return .declared("tag '\(item.name)'", origin(item.place, "tags.\(item.name)"))
        }
        return DeviceLimits.objection(to: device).map { DeviceRefusal(.invalid, $0) }
    }

    private func origin(_ place: Place, _ key: String) -> ValueOrigin? {
        keeper.present.host.places.origin(of: place, "device.\(key)")
    }
}

/// The device as other services see it.
private struct KeptDevice: DeviceKeeping {
    let service: DeviceService

    var device: KnownDevice { service.device }
    var standing: DeviceStanding { service.standing }
    func changes() -> AsyncStream<KnownDevice> { service.changes() }

    func change(_ change: @escaping @Sendable (inout KnownDevice) -> Void) async throws(Fault) {
        do throws(DeviceRefusal) {
            try await service.change(change)
        } catch {
            throw Fault(error.reason, help: error.help, origin: error.origin)
        }
    }

    func save() async throws(Fault) {
        do throws(DeviceRefusal) {
            try await service.register()
        } catch {
            throw Fault(error.reason, help: error.help, origin: error.origin)
        }
    }
}

/// Why something is not done with the device.
package struct DeviceRefusal: Error, Sendable {
    package enum Kind: Sendable {
        /// The file says what it is.
        case declared
        /// The file says that servers are not told.
        case never
        /// It cannot be: a tag, an address, a token.
        case invalid
        /// The store or the outbox does not take it.
        case notKept
    }

    package let kind: Kind
    package let reason: String
    package let help: String?
    package let origin: ValueOrigin?

    init(_ kind: Kind, _ reason: String, help: String? = nil, origin: ValueOrigin? = nil) {
        (self.kind, self.reason, self.help, self.origin) = (kind, reason, help, origin)
    }

    static func declared(_ what: String, _ origin: ValueOrigin?) -> Self {
        Self(.declared, "the file says what the \(what) of the device is", help: "change it there", origin: origin)
    }
}
