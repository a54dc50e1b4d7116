import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WirePushContract
import WireService

/// An account at a Web Push service, whose messages are notifications.
struct WebPushSource: NotificationSource {
    /// A service with a connection for each account.
    enum Service: Sendable {
        case autopush(Address)
        case ntfy(Address, token: Secret<String>?)
    }

    let account: any WebPushAccount
    let service: Service

    /// The longest time for which autopush keeps a message.
    static let longestKept = Duration.seconds(30 * 86_400)

    var needs: [UserNeed]? { [] }
    /// The token of the user is for the app's servers, not for this one.
    var token: ServerCall.Authorization { .none }
    var connectionSettings: [String?] {
        var settings: [String?] = [account.id, account.generation, account.service.scope]
        if case .ntfy(_, let token) = service { settings.append(token?.reveal()) }
        return settings + (account.service.messages?.connectionSettings ?? [])
    }
    /// For ntfy, whose position is a time of the server.
    var positionScope: String? { "webPush \(account.service.scope) \(account.id)" }
    var repeats: Duration? { Self.longestKept }

    func origin(of name: String, in places: Places) -> ValueOrigin? { account.service.origin }

    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        switch service {
        case .autopush(let url):
            await AutopushConnection(account: account, at: url, session: session).read(by: requests, until: leave)
        case .ntfy(let url, let token):
            await NtfyEndpoints(account: account, url: url, token: token, session: session)
                .read(by: requests, until: leave)
        }
    }
}

extension WebPushAccounts {
    /// The sources of the accounts' messages, by a key, with their names.
    var sources: [String: (name: String, source: any NotificationSource)] {
        get async throws(Fault) {
            var sources: [String: (name: String, source: any NotificationSource)] = [:]
            for account in try await accounts {
                func add(_ service: WebPushSource.Service) {
                    let source = WebPushSource(account: account, service: service)
                    sources["\(account.name) \(account.id)"] = (account.name, source)
                }
                switch account.service.kind {
                case .autopush(let url): add(.autopush(url))
                case .ntfy(let url, let token): add(.ntfy(url, token: token))
                case .distributor(let name):
                    let source = DistributorSource(
                        accounts: self,
                        service: account.service,
                        name: name,
                        generation: account.generation
                    )
                    sources["push.webPush"] = ("push.webPush", source)
                }
            }
            return sources
        }
    }
}

extension NotificationFailure {
    /// An account that cannot be read or changed now.
    init(notStored fault: Fault) {
        self.init(.storeUnavailable, fault.reason, help: fault.help, origin: fault.origin)
    }
}
