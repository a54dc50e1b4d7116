import WireBackendContract
import WireDownloadContract
import WireNetworkContract
import WireNotificationContract
import WirePushContract
package import WireService
import WireStateContract

/// The services that notifications use.
package struct NotificationsUses: ServiceUses {
    let requests: (any ServerClient)?
    let pushServers: (any PushServers)?
    let embeddedPushing: (any EmbeddedPushing)?
    let downloads: (any Downloads)?
    let state: (any StateWriting)?
    let refetching: (any Refetching)?
    let subscriptions: (any SubscriptionMessages)?
    let presence: (any UserPresence)?
    let webPush: (any WebPushAccounts)?

    package init(_ others: inout OtherServices) {
        requests = others.find(.serverRequests)
        pushServers = others.find(.pushServers)
        embeddedPushing = others.find(.embeddedPushing)
        downloads = others.find(.downloads)
        state = others.find(.stateWriting)
        refetching = others.find(.refetching)
        subscriptions = others.find(.subscriptionMessages)
        presence = others.find(.userPresence)
        webPush = others.find(.webPush)
    }
}

/// The service's view of its host.
package typealias NotificationsHost = UsingHost<NotificationsUses>
