import WireBackendContract
package import WireService

/// What requests to servers use of other services.
package struct NetworkUses: ServiceUses {
    let tokens: (any AccessTokens)?
    let presence: (any UserPresence)?
    /// The servers built in, which the base URL leads to.
    let embedded: (any EmbeddedServers)?

    package init(_ others: inout OtherServices) {
        tokens = others.find(.accessTokens)
        presence = others.find(.userPresence)
        embedded = others.find(.embeddedServers)
    }
}

/// What the service finds around it.
package typealias NetworkHost = UsingHost<NetworkUses>
