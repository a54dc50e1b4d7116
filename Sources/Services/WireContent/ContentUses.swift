import WireConfig
import WireDeviceContract
import WireNetworkContract
package import WireService
import WireWorkContract

/// The services that content uses.
package struct ContentUses: ServiceUses {
    let requests: (any ServerClient)?
    let connectivity: (any Connectivity)?
    let schedules: (any Schedules)?
    let device: (any DeviceRegistering)?
    let tokens: (any AccessTokens)?
    let presence: (any UserPresence)?

    package init(_ others: inout OtherServices) {
        let isAuthenticated = others.configuration[ContentSection.self]?.authenticated ?? false
        requests = others.find(.serverRequests)
        connectivity = others.find(.connectivity)
        schedules = others.find(.schedules)
        device = others.find(.device)
        tokens = isAuthenticated ? others.find(.accessTokens) : nil
        presence = isAuthenticated ? others.find(.userPresence) : nil
    }
}

/// The host of the content service.
package typealias ContentHost = UsingHost<ContentUses>
