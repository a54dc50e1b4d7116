import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WirePushContract
import WireService

/// An account at a Web Push service, whose messages are notifications.
struct WebPushSource: NotificationSource {
    let account: any WebPushAccount

    var needs: [UserNeed]? { [] }
    /// The token of the user is for the app's servers, not for this one.
    var token: ServerCall.Authorization { .none }
    var connectionSettings: [String?] {
        let service = account.service
        return [account.id, account.generation, service.kind.rawValue, service.url.text, service.token?.reveal()]
            + (service.messages?.connectionSettings ?? [])
    }
    /// For ntfy, whose position is a time of the server.
    var positionScope: String? { "webPush \(account.service.url.text) \(account.id)" }
    /// The longest time for which autopush keeps a message.
    var repeats: Duration? { .seconds(30 * 86_400) }

    func origin(of name: String, in places: Places) -> ValueOrigin? { account.service.origin }

    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        switch account.service.kind {
        case .autopush: await AutopushConnection(account: account, session: session).read(by: requests, until: leave)
        case .ntfy: await NtfyEndpoints(account: account, session: session).read(by: requests, until: leave)
        }
    }
}

extension NotificationFailure {
    /// An account that cannot be read or changed now.
    init(notStored fault: Fault) {
        self.init(.storeUnavailable, fault.reason, help: fault.help, origin: fault.origin)
    }
}
