package import WireBase
import WireConfig
import WireHTTP
package import WireService

/// Provides the device to services that register it.
package protocol DeviceRegistering: Sendable {
    /// A snapshot of the device.
    var device: KnownDevice { get }
    /// The registration state at the server of the file.
    var registrationState: DeviceRegistrationState { get }
    /// Yields the device, beginning with the current one, on every change of the device or its state; ends with the
    /// device service.
    func changes() -> AsyncStream<KnownDevice>
    /// Changes the device and registers it where the file says so; returns when the change is on the disk.
    func change(_ change: @escaping @Sendable (inout KnownDevice) -> Void) async throws(Fault)
    /// Registers the device at the server, even if unchanged.
    func save() async throws(Fault)
}

/// The registration state of a device.
package enum DeviceRegistrationState: Sendable {
    case saved
    /// The registration is queued.
    case pending
    /// The server rejected the device; not retried automatically.
    case refused(Fault)
    /// Not registered automatically.
    case untold(Fault)
}

extension ServiceAbility where Value == any DeviceRegistering {
    package static var device: Self { Self(Provision(.device)) }
}

/// A device as registered at servers.
package struct KnownDevice: Sendable, Equatable {
    /// The id at the server; nil before the first registration.
    package var id: String?
    package var alias: String
    package var email: String?
    package var tags: [DeviceTag]
    /// The push tokens, one per platform.
    package var tokens: [DeviceToken]

    package init(id: String?, alias: String, email: String?, tags: [DeviceTag], tokens: [DeviceToken]) {
        (self.id, self.alias, self.email, self.tags, self.tokens) = (id, alias, email, tags, tokens)
    }
}

/// A tag of a device, with a unique name.
package struct DeviceTag: Sendable, Hashable {
    package enum Kind: String, JSONWord, PlainCodable { case custom, system }

    /// The maximum length of a name in bytes.
    package static let longestName = 128

    package var name: String
    package var value: String?
    package var kind: Kind
    /// The id at the server.
    package var id: String?

    package init(_ name: String, _ value: String?, kind: Kind = .custom, id: String? = nil) {
        (self.name, self.value, self.kind, self.id) = (name, value, kind, id)
    }
}

/// A push token of a device.
package struct DeviceToken: Sendable, Hashable {
    package var platform: String
    package var token: String

    package init(platform: String, token: String) {
        (self.platform, self.token) = (platform, token)
    }
}

extension KnownDevice {
    /// Adds tags; one with the same name is replaced and keeps its id at the server.
    package mutating func addTags(_ new: [DeviceTag]) {
        for var tag in new {
            guard let index = tags.firstIndex(where: { $0.name == tag.name }) else {
                tags.append(tag)
                continue
            }
            tag.id = tag.id ?? (tags[index].kind == tag.kind ? tags[index].id : nil)
            tags[index] = tag
        }
    }

    package mutating func removeTags(_ names: [String]) { tags.removeAll { names.contains($0.name) } }

    /// Sets the push token of a platform; nil removes it.
    package mutating func setToken(_ token: String?, of platform: String) {
        guard let token else { return tokens.removeAll { $0.platform == platform } }
        if let index = tokens.firstIndex(where: { $0.platform == platform }) {
            tokens[index].token = token
        } else {
            tokens.append(DeviceToken(platform: platform, token: token))
        }
    }
}
