import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireNetworkContract
import WireSecrets
import WireService

extension SubscriptionSettings {
    /// Takes the settings of the section.
    init(_ section: SyncSection, in host: SyncHost) {
        let isStream = section.subprotocol == .sse
        if let url = section.webSocketURL, !isStream {
            self.init(url)
            place = host.places.origin(of: section.$webSocketURL, "sync.webSocketUrl")
        } else {
            self.init(section.url)
            place = host.places.origin(of: section.$url, "sync.url")
        }
        transport =
            switch section.subprotocol {
            case .auto: .socket(SocketProtocol.allCases)
            case .graphqlTransportWs: .socket([.graphqlTransportWs])
            case .subscriptionsTransportWs: .socket([.subscriptionsTransportWs])
            case .sse: .eventStream
            }
        for item in section.headers.fields.items { fields.add(item.name, item.value.text) }
        for item in section.secretHeaders.fields.items { fields.add(item.name, item.value.reveal().text) }
        authorization = section.authenticated ? .usual : .none
        tokenInPayload = section.tokenInPayload
        reconnect = ConnectionPlan.Rules(
            min: section.reconnect.min,
            max: section.reconnect.max,
            attempts: section.reconnect.attempts
        )
        (keepAlive, connectionTimeout) = (section.keepAlive, section.connectionTimeout)
    }
}

extension SubscriptionMeans {
    /// Takes the dependencies from the service's host.
    init(_ requests: any ServerClient, in host: SyncHost) {
        self.init(requests, clock: host.clock) { [secrecy = host.find(.secrecy)] in try? secrecy?.random(16) }
        framing = host.find(.webSocketFraming)
        tokens = host.uses.tokens
        connectivity = host.uses.connectivity
    }
}
