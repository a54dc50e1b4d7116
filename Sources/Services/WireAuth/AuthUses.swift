import WireBackendContract
package import WireService

/// What sign-in uses of other services.
package struct AuthUses: ServiceUses {
    let issuer: (any EmbeddedIssuing)?
    let servers: (any EmbeddedServers)?
    let trust: (any Trust)?

    package init(_ others: inout OtherServices) {
        issuer = others.find(.embeddedIssuer)
        servers = others.find(.embeddedServers)
        trust = others.find(.trust)
    }
}

/// What the service finds around it.
package typealias AuthHost = UsingHost<AuthUses>
