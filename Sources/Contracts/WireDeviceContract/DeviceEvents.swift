package import WireHTTP

/// What happens to the device and its registration.
package enum DeviceEvents: String, APIEvent {
    package typealias Payload = DeviceEvent

    case changed = "device.changed"
    case registered = "device.registered"
    case failed = "device.failed"
    case removed = "device.removed"
    case hookFailed = "device.hookFailed"

    package var help: String {
        switch self {
        case .changed: "Something about the device has changed, and is on the disk."
        case .registered: "The server has saved the device."
        case .failed: "The server could not save the device."
        case .removed: "The device was removed here."
        case .hookFailed: "A hook of the device has failed or taken too long."
        }
    }
}

/// What an event of the device carries.
package struct DeviceEvent: JSONRecord {
    package var id: String?
    package var revision: Int?
    package var hook, reason: String?

    package init() {}
    package init(revision: Int, id: String? = nil) { (self.id, self.revision) = (id, revision) }
    package init(reason: String, hook: String? = nil) { (self.hook, self.reason) = (hook, reason) }
}

extension DeviceEvent {
    package static let form = JSONForm<Self>("DeviceEvent", "What an event of the device carries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.optional("id", \.id, "Its id at the server.")
        revision = try members.optional("revision", \.revision, "How often it has changed.")
        hook = try members.optional("who", \.hook, "The hook that failed.")
        reason = try members.optional("reason", \.reason, "Why it failed.")
    }
}
