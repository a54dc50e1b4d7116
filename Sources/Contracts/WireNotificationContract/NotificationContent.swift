package import WireConfig

/// The content of a notification.
package enum NotificationContent: Sendable {
    /// A payload from a server.
    case push(JSONValue)
    /// A notification from this machine, in corewire's own form.
    case local(JSONValue)
}
