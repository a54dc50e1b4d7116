import WireConfig
import WireNetworkContract
package import WireService
import WireWorkContract

/// What GraphQL uses of other services.
package struct SyncUses: ServiceUses {
    let requests: (any ServerRequests)?
    let connectivity: (any Connectivity)?
    let callers: (any CallerTokens)?
    let outbox: (any Outbox)?
    let tokens: (any AccessTokens)?
    let presence: (any UserPresence)?

    package init(_ others: inout OtherServices) {
        let isAuthenticated = others.configuration[SyncSection.self]?.authenticated ?? false
        requests = others.find(.serverRequests)
        connectivity = others.find(.connectivity)
        callers = others.find(.callerTokens)
        outbox = others.find(.outbox)
        tokens = isAuthenticated ? others.find(.accessTokens) : nil
        presence = isAuthenticated ? others.find(.userPresence) : nil
    }
}

/// What the service finds around it.
package typealias SyncHost = UsingHost<SyncUses>
