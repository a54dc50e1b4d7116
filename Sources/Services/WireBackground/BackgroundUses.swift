import WireNetworkContract
package import WireService

/// What background work uses of other services.
package struct BackgroundUses: ServiceUses {
    let requests: (any ServerRequests)?
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

/// What the service finds around it.
package typealias BackgroundHost = UsingHost<BackgroundUses>
