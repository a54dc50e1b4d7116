import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireTelemetry

/// Makes the device what it is to be at a start, in HALO's order: what is kept, what the server knows, what the machine and
/// the file say, and then whoever may change it.
struct DeviceSetup: Sendable {
    let keeper: DeviceKeeper
    private let settings: DeviceSection
    private let host: DeviceHost

    init(_ keeper: DeviceKeeper) {
        self.keeper = keeper
        (settings, host) = (keeper.present.settings, keeper.present.host)
    }

    /// Returns what is to be saved; what cannot be found out, or changed, stays as it is kept.
    func perform() async throws(Fault) -> DeviceRecord {
        let server = server
        let found = await restored(from: server)
        let alias = try await Fault.wrapping { () async throws(StoreFailure) in try await DeviceAlias.find(in: host) }
        let facts = facts()
        let (settings, hasAlias) = (settings, settings.alias != nil)
        try await keeper.edit { record in
            if record.device.id != nil, record.server != server { record.forgetServer() }
            record.take(found)
            record.device.setFacts(facts)
            record.declare(settings)
            if hasAlias || record.device.alias.isEmpty { record.device.alias = alias }
        }
        return try await changed { (hook, device) in try await hook.willSetUp(device) }
    }

    /// Tells whose id of the device it is: one server knows nothing of another's.
    var server: String {
        if host.facts.backend == .embedded, settings.url.absolute == nil { return "embedded" }
        return host.uses.requests?.url(of: settings.url)?.description ?? settings.url.text
    }

    // MARK: The server

    /// What the server knows of it.
    enum Found: Sendable {
        case device(HaloDevice)
        case gone
        /// It was not asked, or has not said.
        case untold
    }

    private func restored(from server: String) async -> Found {
        let record = keeper.record
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
                    "the server does not tell what it knows of the device",
                    ["status": .integer(answer.status.code)]
                )
                return .untold
            }
            return .device(device)
        } catch {
            host.log.info("the server cannot be asked what it knows of the device", ["reason": .text(error.reason)])
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

    /// Lets everybody change the device, one after the other; one who fails, or takes too long, changes nothing.
    func changed(
        by change: @escaping @Sendable (any DeviceHook, KnownDevice) async throws -> KnownDevice
    ) async throws(Fault) -> DeviceRecord {
        let hooks = host.find(.deviceHooks)?.all ?? []
        for _ in 0..<3 {
            let former = keeper.record.device
            var device = former
            for (name, hook) in hooks {
                let given = device
                do {
                    var answer = try await within(settings.hookTimeout) { try await change(hook, given) }
                    // What the server calls it is nobody's to change.
                    answer.id = given.id
                    if let reason = DeviceLimits.objection(to: answer) { throw Fault(reason) }
                    device = answer
                } catch {
                    let reason = (error as? Fault)?.reason ?? "\(error)".shown(upTo: 200)
                    host.log.warning(
                        "what was to change the device failed",
                        ["who": .text(name), "reason": .text(reason)]
                    )
                    host.emit(DeviceEvents.hookFailed, DeviceEvent(reason: reason, hook: name))
                }
            }
            let answer = device
            let record = try await keeper.edit { if $0.device == former { $0.device = answer } }
            if record.device == answer || record.device.isSame(as: answer) { return record }
            // Somebody has changed it meanwhile: they are asked about that.
        }
        return keeper.record
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
                throw Fault("it took longer than \(limit.literal.plainText)")
            }
            return answer
        }
    }

    /// Tells everybody that it is saved.
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

    /// Takes over what a server knows, unless something else waits to be told it.
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
            // Whatever else reaches it there is no longer so.
            if Set(wire.tokens) != Set(device.tokens) { revision += 1 }
        }
    }

    /// Takes over what a server calls the device and its tags.
    mutating func name(by wire: HaloDevice) {
        device.id = wire.id
        (appID, created, updated) = (wire.appID ?? appID, wire.created ?? created, wire.updated ?? updated)
        for tag in wire.tags {
            guard let index = device.tags.firstIndex(where: { $0.name == tag.name }) else { continue }
            device.tags[index].id = tag.id ?? device.tags[index].id
        }
    }

    /// Applies what the file says; what it said before and no longer says goes.
    mutating func declare(_ settings: DeviceSection) {
        let tags = settings.tags.items.map { DeviceTag($0.name, $0.value) }
        device.removeTags(declared.filter { name in !tags.contains { $0.name == name } })
        declared = tags.map(\.name)
        device.addTags(tags)
        if let email = settings.email { device.email = email.text }
    }
}

extension KnownDevice {
    /// Says this of the machine and the app, and nothing else.
    mutating func setFacts(_ facts: [DeviceTag]) {
        tags.removeAll { tag in tag.kind == .system && !facts.contains { $0.name == tag.name } }
        addTags(facts)
    }
}

/// What a device may be, so that servers take it and nobody is flooded with it.
enum DeviceLimits {
    static let tags = 256
    static let tagName = DeviceTag.longestName
    static let tagValue = 1_024
    static let alias = 256
    static let tokens = 16
    static let token = 4_096

    /// What is wrong with a device; nil where nothing is.
    static func objection(to device: KnownDevice) -> String? {
        if !(1...alias).contains(device.alias.utf8.count) || device.alias.hasControls {
            return "the alias has \(device.alias.utf8.count) bytes, expected 1 to \(alias) without control characters"
        }
        if let email = device.email, (try? EmailAddress(parsing: email)) == nil {
            return "\(email.quoted) is not an e-mail address"
        }
        if device.tags.count > tags { return "there are \(device.tags.count) tags, expected \(tags) at most" }
        for tag in device.tags {
            guard (1...tagName).contains(tag.name.utf8.count), !tag.name.hasControls else {
                return "\(tag.name.quoted) is not the name of a tag: 1 to \(tagName) bytes without control characters"
            }
            guard (tag.value ?? "").utf8.count <= tagValue else {
                return "the tag \(tag.name.quoted) has a value of more than \(tagValue) bytes"
            }
        }
        if Set(device.tags.map(\.name)).count < device.tags.count { return "two tags have one name" }
        if device.tokens.count > tokens { return "there are \(device.tokens.count) tokens, expected \(tokens) at most" }
        for item in device.tokens {
            guard Identifier.isName(item.platform) else {
                return "\(item.platform.quoted) is not the name of a platform"
            }
            guard (1...token).contains(item.token.utf8.count), !item.token.hasControls else {
                return "the token of \(item.platform.quoted) is empty, too long or no text"
            }
        }
        if Set(device.tokens.map(\.platform)).count < device.tokens.count { return "two tokens have one platform" }
        return nil
    }
}

extension String {
    fileprivate var hasControls: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
