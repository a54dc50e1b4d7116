import WireBackendContract
package import WireService

/// The services that requests use.
package struct NetworkUses: ServiceUses {
    let tokens: (any AccessTokens)?
    let presence: (any UserPresence)?
    /// The embedded servers, which the base URL may lead to.
    let embedded: (any EmbeddedServers)?

    package init(_ others: inout OtherServices) {
        tokens = others.find(.accessTokens)
        presence = others.find(.userPresence)
        embedded = others.find(.embeddedServers)
    }
}

/// The host of the network service.
package typealias NetworkHost = UsingHost<NetworkUses>
