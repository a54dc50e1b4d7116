package import WireBase
import WireConfig
import WireHTTP
package import WireService

/// What is known of this device, for whoever tells servers of it.
package protocol DeviceKeeping: Sendable {
    /// As it is now; a snapshot.
    var device: KnownDevice { get }
    /// Whether the server of the file knows it so.
    var standing: DeviceStanding { get }
    /// The device from now on, beginning with now, also where only its standing changes; ends when the service that keeps it
    /// ends.
    func changes() -> AsyncStream<KnownDevice>
    /// Changes it, and saves it at the server where the file wants that; returns when the change is on the disk.
    func change(_ change: @escaping @Sendable (inout KnownDevice) -> Void) async throws(Fault)
    /// Has it saved at the server, also where nothing has changed.
    func save() async throws(Fault)
}

/// Whether a server knows a device as it is.
package enum DeviceStanding: Sendable {
    case saved
    /// It is on its way.
    case pending
    /// The server did not take it, and is not asked again by itself.
    case refused(Fault)
    /// Nobody tells the server by itself.
    case untold(Fault)
}

extension ServiceAbility where Value == any DeviceKeeping {
    package static var device: Self { Self(Provision(.device)) }
}

/// A device, as servers know it.
package struct KnownDevice: Sendable, Equatable {
    /// What the server calls it; nil before it was saved there.
    package var id: String?
    package var alias: String
    package var email: String?
    package var tags: [DeviceTag]
    /// Where pushes reach it: one a platform.
    package var tokens: [DeviceToken]

    package init(id: String?, alias: String, email: String?, tags: [DeviceTag], tokens: [DeviceToken]) {
        (self.id, self.alias, self.email, self.tags, self.tokens) = (id, alias, email, tags, tokens)
    }
}

/// Something a device is or has, by a name of which there is one.
package struct DeviceTag: Sendable, Hashable {
    package enum Kind: String, JSONWord, PlainCodable { case custom, system }

    /// The maximum length of a name in bytes.
    package static let longestName = 128

    package var name: String
    package var value: String?
    package var kind: Kind
    /// What the server calls it.
    package var id: String?

    package init(_ name: String, _ value: String?, kind: Kind = .custom, id: String? = nil) {
        (self.name, self.value, self.kind, self.id) = (name, value, kind, id)
    }
}

/// Where pushes reach a device.
package struct DeviceToken: Sendable, Hashable {
    package var platform: String
    package var token: String

    package init(platform: String, token: String) {
        (self.platform, self.token) = (platform, token)
    }
}

extension KnownDevice {
    /// Adds tags; one of the same name is replaced, and keeps what the server calls it.
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

    /// Where pushes of a platform reach it from now on; nowhere where nil.
    package mutating func setToken(_ token: String?, of platform: String) {
        guard let token else { return tokens.removeAll { $0.platform == platform } }
        if let index = tokens.firstIndex(where: { $0.platform == platform }) {
            tokens[index].token = token
        } else {
            tokens.append(DeviceToken(platform: platform, token: token))
        }
    }
}
