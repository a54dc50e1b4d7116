import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireTelemetry

/// Sets up the device at a start, in HALO's order: stored data, the server's data, machine and file, then hooks.
struct DeviceSetup: Sendable {
    let repository: DeviceRepository
    private let settings: DeviceSection
    private let host: DeviceHost

    init(_ repository: DeviceRepository) {
        self.repository = repository
        (settings, host) = (repository.present.settings, repository.present.host)
    }

    /// Returns the device to save; data that cannot be read or changed keeps its stored value.
    func perform() async throws(Fault) -> DeviceRecord {
        let server = server
        let found = await restored(from: server)
        let alias = try await Fault.wrapping { () async throws(StoreFailure) in try await DeviceAlias.find(in: host) }
        let facts = facts()
        let (settings, hasAlias) = (settings, settings.alias != nil)
        try await repository.edit { record in
            if record.device.id != nil, record.server != server { record.forgetServer() }
            record.take(found)
            record.device.setFacts(facts)
            record.declare(settings)
            if hasAlias || record.device.alias.isEmpty { record.device.alias = alias }
        }
        return try await changed { (hook, device) in try await hook.willSetUp(device) }
    }

    /// The server whose id the device has; ids of other servers mean nothing to it.
    var server: String {
        if host.facts.backend == .embedded, settings.url.absolute == nil { return "embedded" }
        return host.uses.requests?.url(of: settings.url)?.description ?? settings.url.text
    }

    // MARK: The server

    /// The server's data of the device.
    enum Found: Sendable {
        case device(HaloDevice)
        case gone
        /// The server was not asked, or did not respond.
        case untold
    }

    private func restored(from server: String) async -> Found {
        let record = repository.record
        guard settings.register != .never, !record.isRemoved, let id = record.device.id, record.server == server,
            let requests = host.uses.requests
        else { return .untold }
        var call = ServerCall(
            .get,
            .below(settings.url, path: id.percentEncoded, query: nil),
            from: "device",
            at: host.places.origin(of: settings.$url, "device.url")
        )
        call.authorization = settings.authenticated ? .usual : .none
        call.offlinePolicy = OfflinePolicy.none
        call.waitsForNetwork = false
        call.deadline = .seconds(30)
        do throws(CallFailure) {
            let answer = try await requests.send(call)
            guard answer.status != .notFound else { return .gone }
            guard answer.status == .ok, let bytes = try? await answer.body.collect(upTo: .mebibytes(1)),
                let device = HaloDevice(bytes), device.id == id
            else {
                host.log.warning(
                    "the server did not return the device",
                    ["status": .integer(answer.status.code)]
                )
                return .untold
            }
            return .device(device)
        } catch {
            host.log.info("the device could not be read from the server", ["reason": .text(error.reason)])
            return .untold
        }
    }

    // MARK: The machine

    private func facts() -> [DeviceTag] {
        guard settings.systemTags else { return [] }
        let machine = host.find(.machine)?.facts() ?? MachineFacts()
        return settings.facts.compactMap { fact in
            fact.value(machine, host.app, host.facts).map { DeviceTag(fact.tagName, $0, kind: .system) }
        }
    }

    // MARK: Those who may change it

    /// Lets each hook change the device in turn; a hook that fails or times out changes nothing.
    func changed(
        by change: @escaping @Sendable (any DeviceHook, KnownDevice) async throws -> KnownDevice
    ) async throws(Fault) -> DeviceRecord {
        let hooks = host.find(.deviceHooks)?.all ?? []
        for _ in 0..<3 {
            let former = repository.record.device
            var device = former
            for (name, hook) in hooks {
                let given = device
                do {
                    var answer = try await within(settings.hookTimeout) { try await change(hook, given) }
                    // Hooks cannot change the server's id.
                    answer.id = given.id
                    if let reason = DeviceLimits.objection(to: answer) { throw Fault(reason) }
                    device = answer
                } catch {
                    let reason = (error as? Fault)?.reason ?? "\(error)".shown(upTo: 200)
                    host.log.warning(
                        "a hook could not change the device",
                        ["who": .text(name), "reason": .text(reason)]
                    )
                    host.emit(DeviceEvents.hookFailed, DeviceEvent(reason: reason, hook: name))
                }
            }
            let answer = device
            let record = try await repository.edit { if $0.device == former { $0.device = answer } }
            if record.device == answer || record.device.isSame(as: answer) { return record }
            // The device was changed meanwhile: hooks are asked again.
        }
        return repository.record
    }

    private func within<Answer: Sendable>(
        _ limit: Duration,
        _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let clock = host.clock
        return try await withThrowingTaskGroup(of: Answer?.self) { race in
            race.addTask { try await work() }
            race.addTask {
                try await clock.sleep(limit)
                return nil
            }
            defer { race.cancelAll() }
            guard let first = try await race.next(), let answer = first else {
                throw Fault("timed out after \(limit.literal.plainText)")
            }
            return answer
        }
    }

    /// Informs all hooks that the device is saved.
    func tellRegistered(_ device: KnownDevice) async {
        for (_, hook) in host.find(.deviceHooks)?.all ?? [] {
            _ = try? await within(settings.hookTimeout) { await hook.didRegister(device) }
        }
    }
}

extension DeviceRecord {
    mutating func forgetServer() {
        (device.id, appID, created, updated) = (nil, nil, nil, nil)
        (saved, savedAt, since, server, refusal) = (0, nil, nil, nil, nil)
        for index in device.tags.indices { device.tags[index].id = nil }
    }

    /// Takes the server's data, unless local changes are to be sent.
    mutating func take(_ found: DeviceSetup.Found) {
        switch found {
        case .untold: return
        case .gone: forgetServer()
        case .device(let wire):
            guard wire.id == device.id else { return }
            let isSaved = isSaved
            name(by: wire)
            guard isSaved else { return }
            if let alias = wire.alias { device.alias = alias }
            device.email = wire.email
            device.tags = wire.tags
            // The server has other tokens: send these.
            if Set(wire.tokens) != Set(device.tokens) { revision += 1 }
        }
    }

    /// Takes the ids of the device and its tags at the server.
    mutating func name(by wire: HaloDevice) {
        device.id = wire.id
        (appID, created, updated) = (wire.appID ?? appID, wire.created ?? created, wire.updated ?? updated)
        for tag in wire.tags {
            guard let index = device.tags.firstIndex(where: { $0.name == tag.name }) else { continue }
            device.tags[index].id = tag.id ?? device.tags[index].id
        }
    }

    /// Applies the values of the file; values of the former file that it no longer has are removed.
    mutating func declare(_ settings: DeviceSection) {
        let tags = settings.tags.items.map { DeviceTag($0.name, $0.value) }
        device.removeTags(declared.filter { name in !tags.contains { $0.name == name } })
        declared = tags.map(\.name)
        device.addTags(tags)
        if let email = settings.email { device.email = email.text }
    }
}

extension KnownDevice {
    /// Replaces the system tags.
    mutating func setFacts(_ facts: [DeviceTag]) {
        tags.removeAll { tag in tag.kind == .system && !facts.contains { $0.name == tag.name } }
        addTags(facts)
    }
}

/// The limits of a device, at which servers accept it.
enum DeviceLimits {
    static let tags = 256
    static let tagName = DeviceTag.longestName
    static let tagValue = 1_024
    static let alias = 256
    static let tokens = 16
    static let token = 4_096

    /// Why a device exceeds a limit; nil where it does not.
    static func objection(to device: KnownDevice) -> String? {
        if !(1...alias).contains(device.alias.utf8.count) || device.alias.hasControls {
            return "the alias has \(device.alias.utf8.count) bytes, expected 1 to \(alias) without control characters"
        }
        if let email = device.email, (try? EmailAddress(parsing: email)) == nil {
            return "invalid e-mail address \(email.quoted)"
        }
        if device.tags.count > tags { return "there are \(device.tags.count) tags, expected \(tags) at most" }
        for tag in device.tags {
            guard (1...tagName).contains(tag.name.utf8.count), !tag.name.hasControls else {
                return
                    "invalid name of a tag \(tag.name.quoted): expected 1 to \(tagName) bytes without control characters"
            }
            guard (tag.value ?? "").utf8.count <= tagValue else {
                return "the tag \(tag.name.quoted) has a value of more than \(tagValue) bytes"
            }
        }
        if Set(device.tags.map(\.name)).count < device.tags.count { return "two tags have the same name" }
        if device.tokens.count > tokens { return "there are \(device.tokens.count) tokens, expected \(tokens) at most" }
        for item in device.tokens {
            guard Identifier.isName(item.platform) else {
                return "invalid name of a platform \(item.platform.quoted)"
            }
            guard (1...token).contains(item.token.utf8.count), !item.token.hasControls else {
                return "the token of \(item.platform.quoted) is empty, too long or not valid text"
            }
        }
        if Set(device.tokens.map(\.platform)).count < device.tokens.count { return "two tokens have the same platform" }
        return nil
    }
}

extension String {
    fileprivate var hasControls: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
