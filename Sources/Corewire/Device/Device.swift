import WireBase
import WireConfig
import WireDevice
import WireDeviceContract
import WireHTTP
import WireRuntime

extension Corewire {
    /// The device as registered at servers: the section `device`, as in the local API.
    ///
    /// Uses the current generation, so it stays valid across reloads and switches.
    public var device: DeviceRepository { DeviceRepository(corewire: self) }

    /// Reads, changes and registers the device.
    ///
    /// ```swift
    /// let hook = corewire.device.willSetUp { device in device.addTag("ward", "3B") }
    /// try await corewire.device.change { $0.setToken(token, platform: "ios") }
    /// print(corewire.device.current?.id ?? "not registered yet")
    /// ```
    ///
    /// Holding this value keeps ``Corewire`` alive.
    public struct DeviceRepository: Sendable {
        let corewire: Corewire

        /// The current device; nil where the file has no section `device`, or its service does not run.
        ///
        /// A cheap snapshot.
        public var current: Device? { corewire.runner.find(DeviceService.self).map { Device($0.device) } }

        /// Changes the device; returns it when the change is on the disk.
        ///
        /// The device is registered at the server where the file says so. The closure may be called twice on a
        /// concurrent change.
        @concurrent
        @discardableResult
        public func change(_ change: @escaping @Sendable (inout Device) -> Void) async throws(CorewireError) -> Device {
            let changed = try await corewire.ask(DeviceService.self, in: .device) {
                (service) async throws(DeviceFailure) in
                try await service.change { known in
                    var device = Device(known)
                    change(&device)
                    device.write(to: &known)
                }
            }
            return Device(changed)
        }

        /// Registers the device at the server, even if unchanged; returns when the registration is queued.
        @concurrent
        public func register() async throws(CorewireError) {
            _ = try await corewire.perform(DeviceCalls.register, NoInput(), in: .device)
        }

        /// Deletes the device here, and at the server if supported, until it is registered again.
        @concurrent
        public func remove() async throws(CorewireError) {
            _ = try await corewire.perform(DeviceCalls.remove, NoInput(), in: .device)
        }

        /// Registers code that may change the device at every start of its service, before registration.
        ///
        /// The service also starts after a switch, a reload that replaces it, and ``register()``; for the first start
        /// use ``Corewire/Configuration/willSetUpDevice``. Code that throws or exceeds `hookTimeout` of the file
        /// changes nothing. The code is registered as long as the returned value is held.
        public func willSetUp(_ change: @escaping @Sendable (inout Device) async throws -> Void) -> DeviceHook {
            DeviceHook(change, in: corewire.deviceHooks)
        }
    }

    /// The device as registered at servers.
    public struct Device: Sendable, Hashable {
        /// A tag of the device.
        public struct Tag: Sendable, Hashable {
            /// The unique name.
            public let name: String
            /// Its value.
            public let value: String?
            /// Whether corewire has set the tag.
            public let isSystem: Bool
        }

        /// The id at the server; nil before the first registration.
        public let id: String?
        /// The name of the device.
        public var alias: String
        /// The email address of its user.
        public var email: String?
        /// The tags.
        public private(set) var tags: [Tag]
        /// The push tokens by platform.
        public private(set) var tokens: [String: String]

        init(_ known: KnownDevice) {
            (id, alias, email) = (known.id, known.alias, known.email)
            tags = known.tags.map { Tag(name: $0.name, value: $0.value, isSystem: $0.kind == .system) }
            tokens = Dictionary(known.tokens.map { ($0.platform, $0.token) }, uniquingKeysWith: { $1 })
        }

        /// Adds a tag; replaces one with the same name.
        public mutating func addTag(_ name: String, _ value: String?) { addTags([(name, value)]) }

        /// Adds tags; replaces those with the same names.
        public mutating func addTags(_ new: [(name: String, value: String?)]) {
            for (name, value) in new {
                tags.removeAll { $0.name == name }
                tags.append(Tag(name: name, value: value, isSystem: false))
            }
        }

        /// Removes a tag.
        public mutating func removeTag(_ name: String) { removeTags([name]) }

        /// Removes tags.
        public mutating func removeTags(_ names: [String]) { tags.removeAll { names.contains($0.name) } }

        /// Sets the push token of a platform; nil removes it.
        public mutating func setToken(_ token: String?, platform: String) { tokens[platform] = token }

        /// Applies the changes to the known device; tags keep their ids at the server.
        func write(to known: inout KnownDevice) {
            (known.alias, known.email) = (alias, email)
            known.removeTags(known.tags.map(\.name).filter { name in !tags.contains { $0.name == name } })
            let changed = tags.filter { tag in
                !known.tags.contains {
                    $0.name == tag.name && $0.value == tag.value && ($0.kind == .system) == tag.isSystem
                }
            }
            known.addTags(changed.map { DeviceTag($0.name, $0.value, kind: $0.isSystem ? .system : .custom) })
            for token in known.tokens where tokens[token.platform] == nil { known.setToken(nil, of: token.platform) }
            for (platform, token) in tokens.sorted(by: { $0.key < $1.key }) { known.setToken(token, of: platform) }
        }
    }

    /// Registered code that may change the device; releasing this value removes it.
    public final class DeviceHook: Sendable {
        private let ticket: Int
        private let hooks: DeviceHooks

        init(_ change: @escaping @Sendable (inout Device) async throws -> Void, in hooks: DeviceHooks) {
            self.hooks = hooks
            ticket = hooks.add("the program", ProgramHook(change: change))
        }

        deinit { hooks.remove(ticket) }
    }
}

/// The device hook of the embedding program (HALO's `managerWillSetupDevice`).
struct ProgramHook: WireDeviceContract.DeviceHook {
    let change: @Sendable (inout Corewire.Device) async throws -> Void

    func willSetUp(_ known: KnownDevice) async throws -> KnownDevice {
        var (known, device) = (known, Corewire.Device(known))
        try await change(&device)
        device.write(to: &known)
        return known
    }
}

extension Area {
    static let device = Area(
        section: DeviceSection.name,
        help: "add the section 'device'"
    )
}
