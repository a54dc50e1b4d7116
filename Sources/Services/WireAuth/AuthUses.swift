import WireBackendContract
package import WireService

/// The services that sign-in uses.
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

/// The host of the sign-in service.
package typealias AuthHost = UsingHost<AuthUses>
