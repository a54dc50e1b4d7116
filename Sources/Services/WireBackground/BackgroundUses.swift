import WireNetworkContract
package import WireService

/// The services that background work uses.
package struct BackgroundUses: ServiceUses {
    let requests: (any ServerClient)?
    let connectivity: (any Connectivity)?
    let presence: (any UserPresence)?
    let tokens: (any AccessTokens)?

    package init(_ others: inout OtherServices) {
        requests = others.find(.serverRequests)
        connectivity = others.find(.connectivity)
        presence = others.find(.userPresence)
        tokens = others.find(.accessTokens)
    }
}

/// The host of the background service.
package typealias BackgroundHost = UsingHost<BackgroundUses>
