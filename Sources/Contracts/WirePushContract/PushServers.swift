package import WireBase
package import WireConfig
import WireHTTP
package import WireNotificationContract
package import WireService

/// Reads what push servers send to this device, and tells them what became of it.
package protocol PushServers: Sendable {
    /// What a push says, read by the registrar that sent it, or as the providers of phones write it where no registrar did.
    func read(_ payload: JSONValue) -> ReceivedPush

    /// Tells the server that sent a push what became of it; returns when that is on the disk, and does nothing where the
    /// server does not want to know.
    ///
    /// The same said twice of the same push arrives as one.
    func tell(_ event: PushEvent, of push: ReceivedPush, at moment: Int64) async throws(Fault)

    /// Hears that a push was shown to the user.
    func shown(_ push: ReceivedPush)
}

extension PushServers {
    package func shown(_ push: ReceivedPush) {}
}

extension ServiceAbility where Value == any PushServers {
    package static var pushServers: Self { Self(Provision(.pushServers)) }
}

/// What became of a push.
package enum PushEvent: String, JSONWord, PlainCodable {
    /// It is here, and will be handled.
    case delivery
    /// The user has opened it, or pressed one of its buttons.
    case open
    /// The user has put it away.
    case dismiss
}
