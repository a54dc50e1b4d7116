import WireNetworkContract
package import WireService
import WireWorkContract

/// The services that the device uses.
package struct DeviceUses: ServiceUses {
    let requests: (any ServerClient)?
    let outbox: (any Outbox)?

    package init(_ others: inout OtherServices) {
        requests = others.find(.serverRequests)
        outbox = others.find(.outbox)
    }
}

/// The service's view of its host.
package typealias DeviceHost = UsingHost<DeviceUses>
