import WireNetworkContract
package import WireService
import WireWorkContract

/// What the device uses of other services.
package struct DeviceUses: ServiceUses {
    let requests: (any ServerRequests)?
    let outbox: (any Outbox)?

    package init(_ others: inout OtherServices) {
        requests = others.find(.serverRequests)
        outbox = others.find(.outbox)
    }
}

/// What the service finds around it.
package typealias DeviceHost = UsingHost<DeviceUses>
