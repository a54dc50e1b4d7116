import WireConfig
import WireNetworkContract
package import WireService
import WireWorkContract

/// The services that GraphQL uses.
package struct SyncUses: ServiceUses {
    let requests: (any ServerClient)?
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

/// The service's view of its host.
package typealias SyncHost = UsingHost<SyncUses>
