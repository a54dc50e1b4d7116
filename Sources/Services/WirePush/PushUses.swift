import WireBackendContract
import WireDeviceContract
import WireNetworkContract
package import WireService
import WireWorkContract

/// The services that push registration uses.
package struct PushUses: ServiceUses {
    let requests: (any ServerClient)?
    let outbox: (any Outbox)?
    let device: (any DeviceRegistering)?
    let embedded: (any EmbeddedPushing)?
    let presence: (any UserPresence)?

    package init(_ others: inout OtherServices) {
        requests = others.find(.serverRequests)
        outbox = others.find(.outbox)
        device = others.find(.device)
        embedded = others.find(.embeddedPushing)
        presence = others.find(.userPresence)
    }
}

/// The service's view of its host.
package typealias PushHost = UsingHost<PushUses>
