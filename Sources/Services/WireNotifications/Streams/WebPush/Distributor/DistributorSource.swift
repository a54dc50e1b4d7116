import WireBase
import WireConfig
import WireNetworkContract
import WireNotificationContract
import WirePushContract
import WireService

/// The accounts of this device at a UnifiedPush distributor, whose messages are notifications.
///
/// One connection for all of them, since the app has one name on the bus.
struct DistributorSource: NotificationSource {
    let accounts: any WebPushAccounts
    let service: WebPushServer
    /// The end of the distributor's name; nil for the preferred one.
    let name: String?
    let generation: String

    var needs: [UserNeed]? { [] }
    var token: ServerCall.Authorization { .none }
    var connectionSettings: [String?] { [name, generation] + (service.messages?.connectionSettings ?? []) }
    /// The longest time for which the server behind a distributor keeps a message.
    var repeats: Duration? { WebPushSource.longestKept }

    func origin(of name: String, in places: Places) -> ValueOrigin? { service.origin }

    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        await DistributorConnection(accounts, name: name, session: session).read(until: leave)
    }
}
