package import WireBase
package import WireConfig
import WireHTTP
package import WireNotificationContract
package import WireService

/// Parses pushes and reports push events to push servers.
package protocol PushServers: Sendable {
    /// Parses a push with the registrar that sent it, or in the general form of providers.
    func read(_ payload: JSONValue) -> ReceivedPush

    /// Reports an event to the server of a push; returns when the report is queued, and does nothing where the server
    /// accepts no reports.
    ///
    /// Duplicate reports are sent once.
    func report(_ event: PushEvent, of push: ReceivedPush, at moment: Int64) async throws(Fault)

    /// Called when a push was shown to the user.
    func shown(_ push: ReceivedPush)
}

extension PushServers {
    package func shown(_ push: ReceivedPush) {}
}

extension ServiceAbility where Value == any PushServers {
    package static var pushServers: Self { Self(Provision(.pushServers)) }
}

/// An event in the life of a push.
package enum PushEvent: String, JSONWord, PlainCodable {
    /// Received, and to be handled.
    case delivery
    /// Opened, or a button was tapped.
    case open
    /// Dismissed.
    case dismiss
}
