import WireBase
import WireConfig
import WireDevice
import WireDeviceContract
import WireHTTP
import WireRuntime

extension Corewire {
    /// What servers know of this device: the section `device`, as the local API has it.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var device: DeviceKeeper { DeviceKeeper(corewire: self) }

    /// Keeps the device.
    ///
    /// ```swift
    /// let hook = corewire.device.willSetUp { device in device.addTag("ward", "3B") }
    /// try await corewire.device.change { $0.setToken(token, platform: "ios") }
    /// print(corewire.device.current?.id ?? "not registered yet")
    /// ```
    ///
    /// Who holds it holds ``Corewire`` as well.
    public struct DeviceKeeper: Sendable {
        let corewire: Corewire

        /// The device as it is known now; nil where the file has no section `device`, or it does not run.
        ///
        /// A snapshot: cheap enough to ask for at any time.
        public var current: Device? { corewire.runner.find(DeviceService.self).map { Device($0.device) } }

        /// Changes the device; returns it when that is on the disk.
        ///
        /// It is saved at the server where the file says so. The change may be asked for twice, where somebody else changes it at the same moment.
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

        /// Has the device saved at the server, also where nothing of it has changed; returns when that is written down.
        @concurrent
        public func register() async throws(CorewireError) {
            _ = try await corewire.perform(DeviceCalls.register, NoInput(), in: .device)
        }

        /// Forgets the device, here and where the server can there, until somebody registers it.
        @concurrent
        public func remove() async throws(CorewireError) {
            _ = try await corewire.perform(DeviceCalls.remove, NoInput(), in: .device)
        }

        /// Lets the program change the device at every start of the service, before servers are told of it.
        ///
        /// A start is also a switch of the environment, a reload that makes it anew, and ``register()``; for the first one the
        /// change is given to ``Corewire/Configuration/willSetUpDevice``. One who throws, or takes longer than
        /// the file's `hookTimeout`, changes nothing. It is asked for as long as the answer is kept.
        public func willSetUp(_ change: @escaping @Sendable (inout Device) async throws -> Void) -> DeviceHook {
            DeviceHook(change, in: corewire.deviceHooks)
        }
    }

    /// What servers know of this device.
    public struct Device: Sendable, Hashable {
        /// Something the device is or has.
        public struct Tag: Sendable, Hashable {
            /// Its name, of which there is one.
            public let name: String
            /// Its value.
            public let value: String?
            /// Whether corewire found it out.
            public let isSystem: Bool
        }

        /// What the server calls it; nil before it was saved there.
        public let id: String?
        /// The name people know it by.
        public var alias: String
        /// The address of whoever uses it.
        public var email: String?
        /// What it is, by name.
        public private(set) var tags: [Tag]
        /// Where pushes reach it, by platform.
        public private(set) var tokens: [String: String]

        init(_ known: KnownDevice) {
            (id, alias, email) = (known.id, known.alias, known.email)
            tags = known.tags.map { Tag(name: $0.name, value: $0.value, isSystem: $0.kind == .system) }
            tokens = Dictionary(known.tokens.map { ($0.platform, $0.token) }, uniquingKeysWith: { $1 })
        }

        /// Adds a tag; one of the same name is replaced.
        public mutating func addTag(_ name: String, _ value: String?) { addTags([(name, value)]) }

        /// Adds tags; those of the same names are replaced.
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

        /// Where pushes of a platform reach it from now on; nowhere where nil.
        public mutating func setToken(_ token: String?, platform: String) { tokens[platform] = token }

        /// What was changed of it, in what is known: what the server calls its tags stays.
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

    /// Code that may change the device, for as long as this is kept.
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

/// What the program around the runner does with the device (HALO's `managerWillSetupDevice`).
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
        help: "add the section 'device' to have servers know the device"
    )
}
