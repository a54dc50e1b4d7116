package import WireHTTP

/// The events of the device and its registration.
package enum DeviceEvents: String, APIEvent {
    package typealias Payload = DeviceEvent

    case changed = "device.changed"
    case registered = "device.registered"
    case failed = "device.failed"
    case removed = "device.removed"
    case hookFailed = "device.hookFailed"

    package var help: String {
        switch self {
        case .changed: "The device has changed."
        case .registered: "The server has registered the device."
        case .failed: "The server has not registered the device."
        case .removed: "The device was deleted here."
        case .hookFailed: "A hook of the device has failed or timed out."
        }
    }
}

/// The payload of a device event.
package struct DeviceEvent: JSONRecord {
    package var id: String?
    package var revision: Int?
    package var hook, reason: String?

    package init() {}
    package init(revision: Int, id: String? = nil) { (self.id, self.revision) = (id, revision) }
    package init(reason: String, hook: String? = nil) { (self.hook, self.reason) = (hook, reason) }
}

extension DeviceEvent {
    package static let form = JSONForm<Self>("DeviceEvent", "The payload of a device event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.optional("id", \.id, "The id at the server.")
        revision = try members.optional("revision", \.revision, "The revision.")
        hook = try members.optional("who", \.hook, "The hook that failed.")
        reason = try members.optional("reason", \.reason, "Why the handler failed.")
    }
}
